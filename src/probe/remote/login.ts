import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import { givenBy, readSecret, secretOption } from '../../cli/secret-option.ts';

const PASSWORD = secretOption({
  flag: 'password',
  env: 'KOLLA_PROBE_PASSWORD',
  help: "account's password",
  example: 'PASSWORD',
  file: { help: 'file with the password, read on every check', example: '/run/secrets/healthcheck' },
});

export const LOGIN_OPTIONS = [
  {
    flag: 'user',
    type: 'string',
    env: 'KOLLA_PROBE_USER',
    help: 'account to log in as',
    example: 'healthcheck',
  },
  ...PASSWORD,
] as const satisfies readonly Option[];

export type LoginValues = Values<typeof LOGIN_OPTIONS>;

export interface Login {
  readonly user: string | undefined;
  /** Never logged. */
  readonly password: string;
}

/**
 * Validates the login options.
 * @throws UsageError if two passwords are given
 */
export function checkLogin(word: string, values: LoginValues): void {
  givenBy(PASSWORD, values, `${word}: `);
}

/**
 * Like checkLogin(), for a protocol in which a password requires a user.
 * @throws UsageError for two passwords, and for one without a user
 */
export function requireUser(word: string, values: LoginValues): void {
  const given = givenBy(PASSWORD, values, `${word}: `);
  if (values.user !== undefined || given === undefined) return;
  throw new UsageError(`${word}: ${given} is given without an account: give --user`);
}

/**
 * The login; undefined if none was given.
 * @throws ConfigError if a file is unreadable or empty
 */
export async function readLogin(values: LoginValues): Promise<Login | undefined> {
  const { user } = values;
  const password = await readSecret(PASSWORD, values);
  return user === undefined && password === undefined ? undefined : { user, password: password ?? '' };
}
