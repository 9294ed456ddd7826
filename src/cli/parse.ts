import { defined } from '../core/defined.ts';
import { parseArgs } from 'node:util';
import type { Command, Input } from './command.ts';
import { UsageError, ConfigError, messageOf } from '../core/errors.ts';
import type { FileOptions } from './file.ts';
import { didYouMean, suggestion } from '../core/nearest.ts';
import { camelCase, parseValue, type Option } from './option.ts';

/** A split argv: flags as given, operands, and the arguments after `--`. */
interface Words {
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
  readonly child: readonly string[];
}

/**
 * Splits an argv according to a table.
 * @throws UsageError for unknown options, missing or unexpected values, and secrets given as flags
 */
export function splitWords(argv: readonly string[], options: readonly Option[], takesChild: boolean): Words {
  const terminator = argv.indexOf('--');
  const own = takesChild && terminator !== -1 ? argv.slice(0, terminator) : argv;
  const child = takesChild && terminator !== -1 ? argv.slice(terminator + 1) : [];
  const byFlag = new Map(options.map((option) => [option.flag, option]));
  const { tokens } = parseArgs({
    args: [...own],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(options.map((option) => [option.flag, parseArgsOption(option)])),
  });
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const { option, word } = optionOf(token, byFlag) ?? {};
    if (option === undefined || word === undefined) throw unknownOption(token.rawName, options);
    const given = flags.get(option.flag);
    if (given !== undefined && !option.repeat) throw new UsageError(`--${option.flag} is given twice`);
    flags.set(option.flag, [...(given ?? []), word]);
  }
  return { flags, operands, child };
}

function parseArgsOption({ type, short }: Option): { type: 'boolean' | 'string'; short?: string } {
  return { type: type === 'boolean' ? 'boolean' : 'string', ...defined({ short }) };
}

interface OptionToken {
  readonly name: string;
  /** The flag as given: `--name` or `-n`. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** The option and its value; `--no-X` is `--X=false`. Undefined for an unknown option. */
function optionOf(
  { name, rawName, value, inlineValue = false }: OptionToken,
  byFlag: ReadonlyMap<string, Option>,
): { option: Option; word: string } | undefined {
  const option = byFlag.get(name);
  // parseArgs treats an unknown `-x` as an option named x.
  if (!rawName.startsWith('--') && option?.short !== rawName.slice(1)) return undefined;
  if (option !== undefined) return { option, word: flagWord(option, rawName, value, inlineValue) };
  const negated = name.startsWith('no-') ? byFlag.get(name.slice('no-'.length)) : undefined;
  if (negated?.type !== 'boolean') return undefined;
  if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
  return { option: negated, word: 'false' };
}

function unknownOption(rawName: string, options: readonly Option[]): UsageError {
  const flags = options.filter((o) => !o.secret).map((o) => `--${o.flag}`);
  return new UsageError(`unknown option ${rawName}${suggestion(rawName, flags)}`);
}

function flagWord(option: Option, rawName: string, value: string | undefined, inline: boolean): string {
  if (option.secret) {
    const file = `${option.flag}-file`;
    throw new UsageError(
      `${rawName} is a secret, which other processes could read on the command line: set ${option.env}, or give --${file}`,
    );
  }
  if (option.type === 'boolean') return value ?? 'true';
  if (value === undefined || (value === '' && option.type !== 'string'))
    throw new UsageError(`${rawName} needs a value, such as ${rawName} ${option.example}`);
  if (!inline && value.startsWith('-') && value.length > 1) {
    throw new UsageError(
      `${rawName} needs a value, but '${value}' looks like an option; if it is the value, write ${rawName}=${value}`,
    );
  }
  return value;
}

/** Precedence: flag, environment, file, default. Errors name the source. */
export function resolveOptions(
  options: readonly Option[],
  words: Words,
  env: NodeJS.ProcessEnv,
  file: Pick<FileOptions, 'wordsOf'> | undefined,
): Record<string, unknown> {
  return Object.fromEntries(options.map((option) => [camelCase(option.flag), resolve(option, words, env, file)]));
}

function resolve(
  option: Option,
  words: Words,
  env: NodeJS.ProcessEnv,
  file: Pick<FileOptions, 'wordsOf'> | undefined,
): unknown {
  const flag = words.flags.get(option.flag);
  if (flag !== undefined) return valueOf(option, flag, (cause) => new UsageError(`--${option.flag}: ${cause}`));
  const variable = env[option.env];
  if (variable !== undefined && variable !== '') {
    const parts = option.repeat ? listOf(variable) : [variable];
    return valueOf(option, parts, (cause) => new UsageError(`${option.env}: ${cause}`));
  }
  const fromFile = file?.wordsOf(option);
  if (fromFile !== undefined) {
    return valueOf(option, fromFile.words, (cause) => new ConfigError(`${fromFile.place}: ${cause}`));
  }
  if (option.default !== undefined)
    return option.repeat ? [parseValue(option, option.default)] : parseValue(option, option.default);
  if (option.repeat) return [];
  return option.type === 'boolean' ? false : undefined;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function valueOf(option: Option, words: readonly string[], wrong: (cause: string) => Error): unknown {
  try {
    const values = words.map((word) => parseValue(option, word));
    return option.repeat ? values : values[0];
  } catch (error) {
    throw wrong(option.secret ? 'not a valid value' : messageOf(error));
  }
}

/**
 * Validates the number and values of the operands.
 * @param others commands for suggestions on the first operand
 */
export function inputOf(
  command: Command,
  words: Words,
  options: Record<string, unknown>,
  usage: string,
  others: readonly string[] = [],
): Input {
  const { operands } = command;
  const needed = operands.filter((operand) => !operand.optional).length;
  const missing = operands[words.operands.length];
  if (words.operands.length < needed && missing) throw new UsageError(`${missing.name} is missing: ${usage}`);
  const stray = words.operands[operands.length];
  if (stray !== undefined && !operands.some((operand) => operand.many))
    throw new UsageError(`unexpected argument '${stray}': ${usage}${didYouMean(words.operands[0] ?? '', others)}`);
  for (const [i, word] of words.operands.entries()) {
    const { name, values } = operands[Math.min(i, operands.length - 1)] ?? { name: '' };
    if (values !== undefined && !values.includes(word))
      throw new UsageError(`unknown ${name.toLowerCase()} '${word}'${suggestion(word, values)}`);
  }
  return { operands: words.operands, child: words.child, options: options as Input['options'] };
}
