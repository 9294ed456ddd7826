import { KollaError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { resolveOptions, splitWords } from '../../cli/parse.ts';
import type { Check } from '../ask/check.ts';
import { unhealthy, type CheckResult } from '../ask/verdict.ts';

/**
 * Runs one of our own checks with these arguments and variables, like `kolla-probe WORD`; a rejection becomes the
 * reason.
 * @param env variables of the check only, because the script's variables are not options of the check
 */
export async function askCheck(
  definition: Check,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  tell?: (awaited: string) => void,
): Promise<CheckResult> {
  const { options } = definition;
  try {
    const words = splitWords(argv, options, false);
    const values = resolveOptions(options, words, env, undefined);
    const input = { operands: words.operands, child: [], options: values as never };
    const question = await definition.prepare(input, { log: SILENT, inherited: env });
    return await question.ask(signal, tell);
  } catch (error) {
    if (error instanceof KollaError) return unhealthy(error.message);
    throw error;
  }
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => SILENT };
