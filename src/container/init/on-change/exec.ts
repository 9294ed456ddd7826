import { UnavailableError, messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { findProgram, isRefusal } from '../../../process/exec/index.ts';
import { start, type Ended } from '../../../process/run.ts';
import type { Redact } from '../../../core/redact.ts';
import type { ExecAction } from './actions.ts';

export interface ExecParts {
  /** Stops the command: SIGTERM to its process group, followed by SIGKILL to all that it has started. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** Redacts the command's output. */
  readonly redact: Redact;
}

/** Time from SIGTERM to SIGKILL. We have a second to exit ourselves. */
const GRACE_MS = 500;

/** The reason why the command cannot run here; undefined if it can. */
export function whyNoProgram({ words: [name] }: ExecAction, env: NodeJS.ProcessEnv): string | undefined {
  const found = findProgram(name, env['PATH'] ?? '');
  return isRefusal(found) ? found.reason : undefined;
}

/**
 * Runs the command without a shell, in its own process group, with its output in the log. Throws UnavailableError
 * unless it exits with 0; rejects with the signal's reason once it has exited. All that it has started ends with it.
 */
export async function runCommand(action: ExecAction, { signal, log, env, redact }: ExecParts): Promise<void> {
  const [name, ...rest] = action.words;
  const program = findProgram(name, env['PATH'] ?? '');
  if (isRefusal(program)) throw new UnavailableError(program.reason);
  let ended: Ended;
  try {
    const words = [...program.words, ...rest];
    const onLine = (line: string) => log.info(line, { from: name });
    ended = await start(program.file, words, { env, signal, graceMs: GRACE_MS, redact, onLine }).ended;
  } catch (error) {
    signal.throwIfAborted();
    throw new UnavailableError(`cannot start ${name}: ${messageOf(error)}`, { cause: error });
  }
  signal.throwIfAborted();
  if (ended.code !== 0)
    throw new UnavailableError(
      `it ${ended.by === undefined ? `exited with code ${ended.code}` : `was killed by ${ended.by}`}`,
    );
}
