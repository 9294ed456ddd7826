import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';

export const LOGIN_OPTIONS = [
  {
    flag: 'user',
    type: 'string',
    env: 'KOLLA_PROBE_USER',
    help: 'account to log in as',
    example: 'healthcheck',
  },
  {
    flag: 'password',
    type: 'string',
    env: 'KOLLA_PROBE_PASSWORD',
    secret: true,
    help: "account's password",
    example: 'PASSWORD',
  },
  {
    flag: 'password-file',
    type: 'path',
    env: 'KOLLA_PROBE_PASSWORD_FILE',
    help: 'file with the password, read on every check',
    example: '/run/secrets/healthcheck',
  },
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
export function checkLogin(word: string, { password, passwordFile }: LoginValues): void {
  if (password === undefined || passwordFile === undefined) return;
  throw new UsageError(`${word}: KOLLA_PROBE_PASSWORD and --password-file are both given: leave one out`);
}

/**
 * Like checkLogin(), for a protocol in which a password requires a user.
 * @throws UsageError for two passwords, and for one without a user
 */
export function requireUser(word: string, values: LoginValues): void {
  checkLogin(word, values);
  const { user, password, passwordFile } = values;
  if (user !== undefined || (password === undefined && passwordFile === undefined)) return;
  const given = passwordFile === undefined ? 'KOLLA_PROBE_PASSWORD' : '--password-file';
  throw new UsageError(`${word}: ${given} is given without an account: give --user`);
}

/**
 * The login; undefined if none was given.
 * @throws ConfigError if a file is unreadable or empty
 */
export async function readLogin({ user, password, passwordFile }: LoginValues): Promise<Login | undefined> {
  if (passwordFile !== undefined) {
    const { readSecret } = await import('../../cli/secret-file.ts');
    return { user, password: await readSecret(passwordFile, '--password-file') };
  }
  return user === undefined && password === undefined ? undefined : { user, password: password ?? '' };
}
