import { messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/one-line.ts';
import { outputRedactor } from '../../core/output-redactor.ts';
import { start, type Ended } from '../../process/run.ts';
import { healthy, unhealthy, type CheckResult } from '../ask/verdict.ts';

/**
 * Time to read the final output of a program that has exited, because a process that cannot be killed may keep its
 * streams open.
 */
const LAST_WORDS_MS = 100;

/**
 * Runs a program without a shell; it and all its descendants are killed on abort, and they after the program's exit.
 * Healthy if it exits with 0; else the reason is its last line, with values of secret environment variables, user info
 * in URLs and `password = value` redacted.
 */
export async function runBounded(
  program: string,
  words: readonly string[],
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<CheckResult> {
  signal.throwIfAborted();
  let ended: Ended;
  try {
    const redact = outputRedactor(env);
    const options = { env, signal, graceMs: 0, drainMs: LAST_WORDS_MS, redact };
    ended = await start(program, words, options).ended;
  } catch (error) {
    return unhealthy(`${program} cannot be run: ${messageOf(error)}`);
  }
  const { code, by, out, err } = ended;
  if (code === 0) return healthy;
  const said = lastLine(err) || lastLine(out);
  const end = by === undefined ? `exited with code ${code}` : `was killed by ${by}`;
  return unhealthy(`${program} ${end}${said === '' ? '' : `: ${said}`}`);
}

function lastLine(text: string): string {
  return oneLine(text.trimEnd().split('\n').at(-1)?.trim() ?? '');
}
