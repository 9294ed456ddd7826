import { UsageError } from '../core/errors.ts';
import { camelCase, type CamelCase, type Option } from './option.ts';

type Text = Pick<Option, 'help' | 'details' | 'example'>;

interface Secret extends Text, Pick<Option, 'flag' | 'env'> {
  /** The row of the file, which may be repeated for several destinations or accounts. */
  readonly file: Text & Pick<Option, 'repeat'>;
}

/** The rows of a secret: its value, and the file that contains it. */
export type SecretRows<F extends string, R = unknown> = readonly [
  value: Option & { readonly flag: F; readonly type: 'string'; readonly secret: true },
  file: Option & { readonly flag: `${F}-file`; readonly type: 'path' } & R,
];

/** The values of both rows, for one destination if the file may be repeated. */
type SecretValues<F extends string> = {
  readonly [K in CamelCase<F> | `${CamelCase<F>}File`]?: string | undefined;
};

/** A secret as an option: `PASSWORD` in the environment, or `--password-file` and `PASSWORD_FILE` with a file's name. */
export function secretOption<const S extends Secret>(
  secret: S,
): SecretRows<S['flag'], S['file'] extends { repeat: true } ? { readonly repeat: true } : unknown> {
  const { file, ...value }: Secret = secret;
  const rows: readonly [Option, Option] = [
    { ...value, type: 'string', secret: true },
    { ...file, flag: `${value.flag}-file`, type: 'path', env: `${value.env}_FILE` },
  ];
  // The same rows, with their flags as literal types.
  return rows as unknown as ReturnType<typeof secretOption<S>>;
}

/**
 * What gives the secret, for messages: `KOLLA_PROBE_PASSWORD` or `--password-file`. Undefined if it is not given.
 * @param at the option's place in messages: '' or `amqp: `
 * @throws UsageError if both are given: either could be the outdated one
 */
export function givenBy<F extends string>(
  [value, file]: SecretRows<F>,
  values: SecretValues<F>,
  at = '',
): string | undefined {
  const [variable, flag] = [value.env, `--${file.flag}`];
  const [hasValue, hasFile] = [value, file].map((row) => wordOf(row, values) !== undefined);
  if (hasValue && hasFile) throw new UsageError(`${at}${variable} and ${flag} are both given: leave one out`);
  return hasFile ? flag : hasValue ? variable : undefined;
}

/**
 * The secret, from a file as it is now. Undefined if it is not given.
 * @throws UsageError as givenBy(); ConfigError if the file is unreadable or empty
 */
export async function readSecret<F extends string>(
  rows: SecretRows<F>,
  values: SecretValues<F>,
): Promise<string | undefined> {
  const given = givenBy(rows, values);
  const [word, file] = rows.map((row) => wordOf(row, values));
  if (given === undefined || file === undefined) return word;
  // Every helper has the rows, and few runs read a file.
  const { readSecretFile } = await import('./secret-file.ts');
  return readSecretFile(file, given);
}

function wordOf({ flag }: Option, values: Readonly<Record<string, string | undefined>>): string | undefined {
  return values[camelCase(flag)];
}
