/**
 * Becoming another program: what is left of us is the pid.
 *
 *   name -> findProgram (PATH, x bit, interpreter; or the code and line of a shell) -> becomeProgram (what we said is out,
 *   signals and descriptors as our caller had them) -> process.execve
 *
 * Node leaves three traces in what it becomes: SIGPIPE and SIGXFSZ ignored, O_NONBLOCK on the pipes that it wrote to, and
 * the soft limit of open files raised. The first two are undone here; the limit only a shell can lower again, so
 * callersOpenFiles says what it was, and withCallersLimits puts one before a program that is none.
 */
import { nextTurn } from '../../core/next-turn.ts';
import type { Program } from './find-program.ts';

export { withCallersLimits } from './caller-limits.ts';
export { findProgram, isRefusal, type Refusal } from './find-program.ts';
export { callersOpenFiles } from './open-files.ts';

/** A stream over a pipe, as Node has it. */
interface Piped {
  readonly _handle?: { setBlocking?: (on: boolean) => number };
}

/**
 * Ends this program and goes on as that one, with its pid. Returns only by throwing: the signal's reason, when one came in
 * time. What was written to stdout and stderr is out before.
 * @param argv the new program's words, its own name first
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
    // Not where nothing is left to say: even an empty write fails on a full disk, and that is the next program's to meet.
    if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  await nextTurn();
  signal.throwIfAborted();
  // From here on a signal does what it does to any program that handles none.
  for (const each of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.removeAllListeners(each);
  // Node ignores these two, and what is ignored stays so. What is handled begins anew with the next program.
  for (const each of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(each, () => {});
  // Only a file that findProgram looked at comes here: Node aborts where this fails.
  return process.execve!(file, [name, ...words, ...rest], env);
}
