import { parseDuration } from '../core/duration.ts';
import { didYouMean } from '../core/nearest.ts';

/** How an option's text is parsed, and what completion offers for it. */
type OptionType = 'string' | 'path' | 'boolean' | 'integer' | 'duration' | 'choice';

/**
 * One option of a command. Parsing, environment, file, help, completion, man pages, the JSON Schema and
 * docs/reference/cli.md are all derived from this row. Precedence: flag, environment, kolla-pod.yaml, default.
 */
export interface Option {
  /** Name without the dashes: `log-level`. Also the key in kolla-pod.yaml. */
  readonly flag: string;
  /** A one-letter flag, as in kubectl: `o`. */
  readonly short?: string;
  readonly type: OptionType;
  readonly env: string;
  /** A noun phrase of at most ten words. A computed default follows as `(default: X)`. */
  readonly help: string;
  /** More sentences, for the man page, docs/reference/cli.md and the JSON Schema. */
  readonly details?: string;
  readonly example: string;
  /** Default as the user would type it. Without a default the value may be undefined. */
  readonly default?: string;
  /** The values of a `choice`. */
  readonly values?: readonly string[];
  /** The option may be repeated. In the environment, values are comma-separated. */
  readonly repeat?: true;
  /** A secret is never printed and has no flag, since other processes can read the command line. */
  readonly secret?: true;
  /** Heading in the help: `Keystone`. */
  readonly group?: string;
  /** The option is shown only by `--help-all`. */
  readonly isRare?: true;
}

/**
 * Groups a table's options under one heading in the help.
 * @param usual the flags shown by `--help`; the others are shown only by `--help-all`
 */
export function grouped<const O extends readonly Option[]>(
  group: string,
  options: O,
  usual: readonly NoInfer<O[number]['flag']>[],
): O {
  const shown: readonly string[] = usual;
  const rows = options.map((row) => ({ ...row, group, ...(shown.includes(row.flag) ? {} : { isRare: true }) }));
  // The same rows in the same order, with properties that only the help reads.
  return rows as unknown as O;
}

export type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

type Scalar<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O['type'] extends 'integer' | 'duration'
    ? number
    : O extends { values: readonly (infer V)[] }
      ? V
      : string;

type Value<O extends Option> = O extends { repeat: true }
  ? Scalar<O>[]
  : O extends { default: string }
    ? Scalar<O>
    : O['type'] extends 'boolean'
      ? boolean
      : Scalar<O> | undefined;

/** The values a command receives for its table: `--log-level` becomes `logLevel`, and durations are in milliseconds. */
export type Values<T extends readonly Option[]> = { [O in T[number] as CamelCase<O['flag']>]: Value<O> };

export function camelCase(flag: string): string {
  return flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Parses one value. Throws RangeError with the valid values, without naming the source: the caller knows whether it was
 * a flag, a variable or a file.
 */
export function parseValue(option: Option, word: string): string | number | boolean {
  switch (option.type) {
    case 'string':
    case 'path':
      return word;
    case 'boolean':
      if (word === 'true' || word === 'false') return word === 'true';
      throw new RangeError(`'${word}' is neither true nor false`);
    case 'integer':
      if (/^\d{1,15}$/.test(word)) return Number(word);
      throw new RangeError(`'${word}' is not a whole number`);
    case 'duration':
      return parseDuration(word);
    case 'choice':
      if (option.values?.includes(word)) return word;
      throw new RangeError(
        `'${word}' is not one of ${option.values?.join(', ')}${didYouMean(word, option.values ?? [])}`,
      );
  }
}
