import { SYSTEM_PATH } from '../../cli/raised.ts';
import type { Account } from './accounts.ts';
import type { Request } from './parse.ts';

/** PATH in Kolla's sudoers. */
export const SECURE_PATH = `/var/lib/kolla/venv/bin:${SYSTEM_PATH}`;

/** Variables that sudo keeps by default: terminal, time zone and locale. */
const KEPT = /^(?:TERM|TZ|LANG|LANGUAGE|LC_[A-Z]+|COLORTERM|HOSTNAME)$/;

/**
 * The command's environment under Kolla's sudoers: reset, unless -E keeps the caller's; with the target's names, a
 * fixed PATH, and assignments on the command line last.
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
