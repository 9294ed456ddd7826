import { SYSTEM_PATH } from '../../cli/raised.ts';
import type { Account } from './accounts.ts';
import type { Request } from './parse.ts';

/** As Kolla's sudoers say where programs are. */
export const SECURE_PATH = `/var/lib/kolla/venv/bin:${SYSTEM_PATH}`;

/** What sudo hands on without being asked: where the user sits, and which language it reads. */

const KEPT = /^(?:TERM|TZ|LANG|LANGUAGE|LC_[A-Z]+|COLORTERM|HOSTNAME)$/;

/**
 * The command's environment, as sudo with Kolla's sudoers gives it: a new one, unless -E asks for the caller's; the
 * target's names in it, PATH fixed, and last what the command line assigns.
 */
export function environmentOf(
  { keep, setHome, assigned }: Request,
  target: Account,
  caller: Account,
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const isKept = (name: string) => keep === 'all' || keep.includes(name) || KEPT.test(name);
  const own = { HOME: target.home, SHELL: target.shell };
  return {
    ...own,
    ...Object.fromEntries(Object.entries(inherited).filter(([name]) => isKept(name))),
    ...(keep === 'all' ? {} : own),
    ...(setHome ? { HOME: target.home } : {}),
    LOGNAME: target.name,
    USER: target.name,
    PATH: SECURE_PATH,
    SUDO_USER: caller.name,
    SUDO_UID: `${caller.uid}`,
    SUDO_GID: `${caller.gid}`,
    ...Object.fromEntries(assigned),
  };
}
