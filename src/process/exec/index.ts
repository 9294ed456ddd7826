/**
 * Executes another program: only the pid remains.
 *
 *   name -> findProgram (PATH, x bit, interpreter; or a shell's code and message) -> becomeProgram (output flushed,
 *   the caller's signals and descriptors restored) -> process.execve
 *
 * Node leaves three changes: SIGPIPE and SIGXFSZ are ignored, O_NONBLOCK is set on pipes it wrote to, and the soft
 * limit of open files is raised. The first two are undone here; the limit can only be lowered by a shell, so
 * callersOpenFiles determines it, and withCallersLimits runs a shell first.
 */
import { nextTurn } from '../../core/next-turn.ts';
import type { Program } from './find-program.ts';

export { withCallersLimits } from './caller-limits.ts';
export { findProgram, isRefusal, type Refusal } from './find-program.ts';
export { callersOpenFiles } from './open-files.ts';

/** A stream on a pipe, as Node represents it. */
interface Piped {
  readonly _handle?: { setBlocking?: (on: boolean) => number };
}

/**
 * Replaces this process by that program, with the same pid. It never returns; it throws the signal's reason if a signal
 * came in time. Output to stdout and stderr is flushed before.
 * @param argv the new program's arguments, its name first
 */
export async function becomeProgram(
  { file, words }: Program,
  argv: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<never> {
  const [name, ...rest] = argv;
  for (const stream of [process.stdout, process.stderr]) {
    // O_NONBLOCK belongs to the pipe, not to us: a service that gets EAGAIN from its stderr loses lines.
    // eslint-disable-next-line no-underscore-dangle -- Node has no public name for it
    (stream as Piped)._handle?.setBlocking?.(true);
    // Skipped if no output is pending, because even an empty write fails on a full disk, which the next program may
    // handle itself.
    if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  await nextTurn();
  signal.throwIfAborted();
  // From here on, signals have their default action.
  for (const each of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.removeAllListeners(each);
  // Node ignores these two signals, and ignored signals are inherited. execve resets handled ones.
  for (const each of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(each, () => {});
  // The file was checked by findProgram: Node aborts if this fails.
  return process.execve!(file, [name, ...words, ...rest], env);
}
