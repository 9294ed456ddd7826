import { formatDuration } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import type { Change } from './resident-check.ts';

/** One line for a verdict that changes: what, why, and how long it had been otherwise. */
export function announce(change: Change, log: Log): void {
  const { part, subject, from, lastedMs } = change;
  const fields = { check: part.name, asked: subject, state: part.state, was: from, lasted_ms: Math.round(lastedMs) };
  const line = changeText(change);
  if (part.state === 'healthy') log.info(line, fields);
  else log.warn(line, fields);
}

/** `api is unhealthy: status 503; it had been healthy for 2m05s; asked: http http://127.0.0.1:5000/v3` */
function changeText({ part, subject, from, lastedMs }: Change): string {
  const why = part.reason === undefined ? '' : `: ${part.reason}`;
  const lasted = formatDuration(lastedMs);
  const before = from === 'unknown' ? `the first verdict, after ${lasted}` : `it had been ${from} for ${lasted}`;
  const asked = part.state === 'healthy' ? '' : `; asked: ${subject}`;
  return `${part.name} is ${part.state}${why}; ${before}${asked}`;
}
