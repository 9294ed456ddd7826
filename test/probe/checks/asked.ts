import { inputOf, resolveOptions, splitWords } from '../../../src/cli/parse.ts';
import { answerOf } from '../../../src/probe/ask.ts';
import { CHECK_OPTIONS, commandFor, type Check } from '../../../src/probe/check.ts';
import type { Verdict } from '../../../src/probe/verdict.ts';
import { recordedLog } from '../../support/recorded-log.ts';

/** Runs a check like its command, in this process: validates its arguments, then runs it once. */
export async function asked(
  check: Check,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  timeoutMs = 5000,
): Promise<Verdict> {
  const options = [...check.options, ...CHECK_OPTIONS];
  const split = splitWords(words, options, false);
  const input = inputOf(commandFor(check), split, resolveOptions(options, split, env, undefined), check.word);
  const question = await check.prepare(input, { log: recordedLog().log, inherited: {} });
  return await answerOf(question, timeoutMs, new AbortController().signal);
}

/** The reason why the check is unhealthy, or `healthy`. */
export async function reasonOf(...args: Parameters<typeof asked>): Promise<string> {
  const verdict = await asked(...args);
  return verdict.healthy ? 'healthy' : verdict.reason;
}
