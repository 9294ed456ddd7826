/**
 * Run through sudo: we are root for a user who is not. Kolla's sudoers let the group kolla call two names as root, with any
 * words and any environment, and reading a path from either made CVE-2022-38060. So both are cut down before anything reads
 * them; and only kolla-core is raised, since something of Node always reads the environment before our first line.
 */
import { NotPermittedError } from '../core/errors.ts';

/** Where programs are, whatever the caller's PATH says. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The one variable that the contract gives the caller. */
const TRUSTED = ['KOLLA_CONFIG_STRATEGY'];
/** Words that change what is told, not what is done or where. */
const HARMLESS = new Set(['--check', '--help', '-h', '--version']);

const RAISED_NAMES = new Set(['kolla_set_configs', 'kolla_copy_cacerts']);

/** For kolla-pod. @throws NotPermittedError for a name that sudoers raise */
export function refuseRaised(name: string, env: NodeJS.ProcessEnv = process.env, euid?: number): void {
  if (!RAISED_NAMES.has(name) || !isRaised(env, euid)) return;
  throw new NotPermittedError(
    'kolla-pod is not raised by sudo, because its Node reads the environment of whoever calls it: lead this name to ' +
      'kolla-core, which lies beside kolla-pod in its images and in what `kolla-pod install` fills',
  );
}

export function isRaised(env: NodeJS.ProcessEnv, euid: number | undefined = process.geteuid?.()): boolean {
  return euid === 0 && env['SUDO_UID'] !== undefined;
}

/** The words and variables that a helper may see: all of them, unless sudo raised it. */
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
