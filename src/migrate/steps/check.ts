import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../../core/duration.ts';
import type { SchemaCheck } from '../../catalog/index.ts';
import type { Effects, Tool } from '../plan/plan.ts';
import type { Reached } from '../server/reach.ts';
import { endOrStop, startGuarded } from '../child/guarded-child.ts';

/** Timeout of a check. It reads one table; most of its time is spent on starting Python. */
const CHECK_MS = 120_000;

/**
 * Runs the check of the service's own tool and returns its exit code; undefined after a timeout. Rejects with the
 * signal's reason.
 */
export async function askCheck(
  { argv }: SchemaCheck,
  session: Reached,
  { childEnv }: Pick<Tool, 'childEnv'>,
  { signal, log, redact }: Pick<Effects, 'signal' | 'log' | 'redact'>,
): Promise<number | undefined> {
  const from = basename(argv[0]);
  const child = await startGuarded(argv, {
    env: childEnv(session.at),
    descriptor: session.descriptor,
    onLine: (line) => log.debug(line, { from }),
    redact: (line) => redact(stripVTControlCharacters(line)),
  });
  const timeout = AbortSignal.timeout(CHECK_MS);
  const code = await endOrStop(child, AbortSignal.any([signal, timeout]));
  signal.throwIfAborted();
  if (!timeout.aborted) return code;
  log.warn(`${argv.join(' ')} did not exit within ${formatDuration(CHECK_MS)}: stopped`);
  return undefined;
}
