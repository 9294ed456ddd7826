import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError, messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { findProgram, isRefusal } from '../../../process/exec/index.ts';
import { signalGroup } from '../../../process/exec/signal-group.ts';
import { eachLine } from '../../../process/lines.ts';
import type { Redact } from '../../../core/redact.ts';
import type { ExecAction } from './actions.ts';

export interface ExecParts {
  /** Ends the command: SIGTERM to its process group, SIGKILL soon after. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** What the command says goes through it. */
  readonly redact: Redact;
}

/** From SIGTERM to SIGKILL: we have a second to end ourselves. */
const GRACE_MS = 500;
/** What the command has left behind (a daemon) may hold its output open. */
const DRAIN_MS = 500;

/** Why the command can't be run here, or undefined. */
export function whyNoProgram({ words: [name] }: ExecAction, env: NodeJS.ProcessEnv): string | undefined {
  const found = findProgram(name, env['PATH'] ?? '');
  return isRefusal(found) ? found.reason : undefined;
}

/**
 * Runs the command without a shell, in a process group of its own, its output into the log. Throws UnavailableError unless
 * it ends with 0; rejects with the signal's reason once the group is gone.
 */
export async function runCommand(action: ExecAction, { signal, log, env, redact }: ExecParts): Promise<void> {
  const [name, ...rest] = action.words;
  const program = findProgram(name, env['PATH'] ?? '');
  if (isRefusal(program)) throw new UnavailableError(program.reason);
  const child = spawn(program.file, [...program.words, ...rest], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const output = Promise.all(
    [child.stdout, child.stderr].map((stream) => eachLine(stream, (line) => log.info(redact(line), { from: name }))),
  );
  let killing: NodeJS.Timeout | undefined;
  const stop = () => {
    signalGroup(child.pid, 'SIGTERM');
    killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const [code, by] = await ended;
    await Promise.race([output, sleep(DRAIN_MS, undefined, { ref: false })]);
    signal.throwIfAborted();
    if (code !== 0) throw new UnavailableError(`it ended with ${code ?? by ?? 'a signal'}`);
  } catch (error) {
    if (child.pid !== undefined) throw error;
    throw new UnavailableError(`cannot start ${name}: ${messageOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(killing);
    // Of a command that was ended nothing shall stay.
    if (signal.aborted) signalGroup(child.pid, 'SIGKILL');
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
