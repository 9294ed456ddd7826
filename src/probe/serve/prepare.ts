import type { Question } from '../ask/verdict.ts';
import { COMMON_OPTIONS } from '../../cli/common-options.ts';
import type { PodFile } from '../../cli/file.ts';
import { ConfigError, UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import { inputOf, resolveOptions, splitWords } from '../../cli/parse.ts';
import { CHECK_OPTIONS, requireOwnHosts, type Check, type CheckContext, type CheckSet } from '../ask/check.ts';
import type { CheckConfig } from './config.ts';

/** A check that is ready to run, with its schedule. */
export interface PreparedCheck extends Omit<CheckConfig, 'run' | 'allowRemote'> {
  readonly question: Question;
}

/**
 * Parses the arguments of each check like the command line: options from the arguments, then the environment, then the
 * `probe` section of kolla-pod.yaml.
 * @param set the checks of this binary
 * @throws ConfigError with the check's location if another binary has the check, arguments are invalid, or a liveness
 * check depends on other Pods
 */
export async function prepareChecks(
  configs: readonly CheckConfig[],
  context: CheckContext,
  set: CheckSet,
): Promise<PreparedCheck[]> {
  return await Promise.all(configs.map((config) => prepared(config, context, set)));
}

async function prepared(config: CheckConfig, context: CheckContext, set: CheckSet): Promise<PreparedCheck> {
  const { run, allowRemote, ...rest } = config;
  const place = `${context.podFile?.file ?? 'kolla-pod.yaml'}: checks.${config.name}`;
  try {
    const [word = '', ...words] = run;
    const question = await questionOf(definitionOf(word, set), words, context, set);
    if (config.roles.includes('liveness') && !allowRemote) requireOwnHosts(word, question, 'set allow-remote: true');
    return { ...rest, question };
  } catch (error) {
    if (error instanceof UsageError) throw new ConfigError(`${place}: ${error.message}`, { cause: error });
    throw error;
  }
}

function definitionOf(word: string, { checks }: CheckSet): Check {
  const found = checks.find((check) => check.word === word);
  if (found !== undefined) return found;
  if (word === 'kolla-probe') throw new UsageError("run starts with the check's name, without kolla-probe");
  const known = checks.map((check) => check.word);
  throw new UsageError(`no check '${word}'${suggestion(word, known)}`);
}

async function questionOf(
  definition: Check,
  argv: readonly string[],
  context: CheckContext,
  set: CheckSet,
): Promise<Question> {
  const { word, options, operands, child } = definition;
  const end = child === undefined ? -1 : argv.indexOf('--');
  for (const { flag } of CHECK_OPTIONS) {
    const isGiven = argv.slice(0, end === -1 ? undefined : end).some((each) => each.split('=')[0] === `--${flag}`);
    if (isGiven) throw new UsageError(`--${flag} belongs next to run, as ${flag === 'role' ? 'for' : flag}:`);
  }
  const words = splitWords(argv, options, child !== undefined);
  const file = await fileOptions(definition, context.podFile, set);
  const values = resolveOptions(options, words, context.inherited, file);
  const usage = [word, ...operands.map(({ name, optional }) => (optional ? `[${name}]` : name))].join(' ');
  // This command is never run: only its tables are used, to parse the arguments.
  const command = { ...definition, run: () => Promise.resolve(0) };
  return await definition.prepare(inputOf(command, words, values, usage), context);
}

/** The options of this check in the `probe` section, as for `kolla-probe WORD`. */
async function fileOptions({ word, options }: Check, podFile: PodFile | undefined, set: CheckSet) {
  if (podFile === undefined || podFile.sectionOf('probe') === undefined) return undefined;
  const { readFileOptions } = await import('../../cli/file.ts');
  const siblings = [...set.checks.map((check) => check.word), 'serve'];
  return readFileOptions(podFile.file, ['probe', word], siblings, COMMON_OPTIONS, [...options, ...CHECK_OPTIONS]);
}
