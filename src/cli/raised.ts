/**
 * Handles execution through sudo, as root for an unprivileged user. Kolla's sudoers lets the group kolla run two
 * programs as root with any arguments and environment; reading a path from either caused CVE-2022-38060. So both are
 * restricted before anything reads them. Only kolla-core may run through sudo, since Node reads the environment before
 * our first line runs.
 */
import { NotPermittedError } from '../core/errors.ts';

/** PATH for child programs, whatever the caller's PATH is. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The only environment variable of the caller that Kolla's contract allows. */
const TRUSTED = ['KOLLA_CONFIG_STRATEGY'];
/** Arguments that affect only the output. */
const HARMLESS = new Set(['--check', '--help', '-h', '--version']);

/** The names that Kolla's sudoers lets a service's user run as root. */
export const RAISED_NAMES: ReadonlySet<string> = new Set(['kolla_set_configs', 'kolla_copy_cacerts']);

/**
 * Rejects execution of kolla-pod through sudo.
 * @throws NotPermittedError for a name in Kolla's sudoers
 */
export function refuseRaised(name: string): void {
  if (!RAISED_NAMES.has(name) || !isRaised(process.env)) return;
  throw new NotPermittedError(
    "kolla-pod does not run through sudo, because Node reads the caller's environment: link this name to " +
      'kolla-core, which is next to kolla-pod in its images and in volumes filled by `kolla-pod install`',
  );
}

export function isRaised(env: NodeJS.ProcessEnv, euid: number | undefined = process.geteuid?.()): boolean {
  return euid === 0 && env['SUDO_UID'] !== undefined;
}

/** The arguments and variables that a helper may see: all of them, unless it runs through sudo. */
export function trusted(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  euid?: number,
): { readonly argv: string[]; readonly env: NodeJS.ProcessEnv } {
  if (!isRaised(env, euid)) return { argv: [...argv], env };
  const kept = TRUSTED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    argv: argv.filter((word) => HARMLESS.has(word)),
    env: { ...Object.fromEntries(kept), PATH: SYSTEM_PATH },
  };
}
