/**
 * Raised by sudo: we are root for somebody who is not. Kolla's sudoers let the group kolla call a few names as root, with any
 * words and any environment, and reading a path from either made CVE-2022-38060. So both are cut down before anything reads
 * them.
 */

/** Where programs are, whatever the caller's PATH says. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The one variable that the contract gives the caller. */
const TRUSTED = ['KOLLA_CONFIG_STRATEGY'];
/** Words that change what is told, not what is done or where. */
const HARMLESS = new Set(['--check', '--help', '-h', '--version']);

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
