import { formatDuration } from '../../cli/duration.ts';
import type { Log } from '../../cli/log.ts';
import type { Change } from './resident-check.ts';

/** One line for a verdict that changes: what, why, and how long it had been otherwise. */
export function announce({ part, from, lastedMs }: Change, log: Log): void {
  const fields = { check: part.name, state: part.state, was: from, lasted_ms: Math.round(lastedMs) };
  const line = changeText({ part, from, lastedMs });
  if (part.state === 'healthy') log.info(line, fields);
  else log.warn(line, fields);
}

/** `api is unhealthy: status 503; it had been healthy for 2m05s` */
export function changeText({ part, from, lastedMs }: Change): string {
  const why = part.reason === undefined ? '' : `: ${part.reason}`;
  const lasted = formatDuration(lastedMs);
  const before = from === 'unknown' ? `the first verdict, after ${lasted}` : `it had been ${from} for ${lasted}`;
  return `${part.name} is ${part.state}${why}; ${before}`;
}
