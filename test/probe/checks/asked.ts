import type { Log } from '../../../src/core/log.ts';
import { inputOf, resolveOptions, splitWords } from '../../../src/cli/parse.ts';
import { answerOf } from '../../../src/probe/ask/ask.ts';
import { CHECK_OPTIONS, commandFor, type Check } from '../../../src/probe/ask/check.ts';
import type { Question, CheckResult } from '../../../src/probe/ask/verdict.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** Runs a check like its command, in this process: validates its arguments, then runs it once. */
export async function asked(
  check: Check,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  timeoutMs = 5000,
  log: Log = recordedLog().log,
): Promise<CheckResult> {
  return await answerOf(await questionOf(check, words, env, log), timeoutMs, new AbortController().signal);
}

async function questionOf(
  check: Check,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  log = recordedLog().log,
): Promise<Question> {
  const options = [...check.options, ...CHECK_OPTIONS];
  const split = splitWords(words, options, false);
  const input = inputOf(commandFor(check), split, resolveOptions(options, split, env, undefined), check.word);
  return await check.prepare(input, { log, inherited: {} });
}

const MINUTE_MS = 60_000;

/**
 * The reason of a check whose deadline passes as soon as it waits for `awaited`: with a fixed deadline, a busy machine
 * might get no further than the connection.
 */
export async function reasonAwaiting(
  check: Check,
  words: readonly string[],
  awaited: RegExp,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const question = await questionOf(check, words, env);
  const deadline = new AbortController();
  const ask: Question['ask'] = async (signal, tell) =>
    await question.ask(signal, (what) => {
      tell?.(what);
      if (awaited.test(what)) deadline.abort();
    });
  const verdict = await answerOf({ ...question, ask }, MINUTE_MS, new AbortController().signal, deadline.signal);
  return verdict.healthy ? 'healthy' : verdict.reason;
}

/** The reason why the check is unhealthy, or `healthy`. */
export async function reasonOf(...args: Parameters<typeof asked>): Promise<string> {
  const verdict = await asked(...args);
  return verdict.healthy ? 'healthy' : verdict.reason;
}
