import { readFileSync } from 'node:fs';
import { unlessAbsent } from '../../fs/absent.ts';
import { accountLines } from '../../fs/accounts.ts';

/** One line of /etc/passwd. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

/** Looks up users and groups in files; images have no other source. */
export interface Accounts {
  /** A user by name, by `#1000`, or by number. A number needs no line in the file. */
  user(wanted: string | number): Account | undefined;
  /** The ID of a group by name or as `#1000`. */
  group(wanted: string): number | undefined;
}

/** @param read returns the text of a file, or '' if it does not exist */
export function accountsOf(read: (path: string) => string = readText): Accounts {
  return {
    user(wanted) {
      const id = typeof wanted === 'number' ? wanted : numberOf(wanted);
      const lines = accountLines(read('/etc/passwd'));
      const found = lines.find(([name, , uid]) => (id === undefined ? name === wanted : Number(uid) === id));
      if (found !== undefined) {
        const [name = '', , uid, gid, , home = '', shell = ''] = found;
        return { name, uid: Number(uid), gid: Number(gid), home, shell: shell || '/bin/sh' };
      }
      return id === undefined ? undefined : { name: `${id}`, uid: id, gid: id, home: '/', shell: '/bin/sh' };
    },
    group(wanted) {
      const id = numberOf(wanted);
      if (id !== undefined) return id;
      const found = accountLines(read('/etc/group')).find(([name]) => name === wanted);
      return found === undefined ? undefined : Number(found[2]);
    },
  };
}

function numberOf(wanted: string): number | undefined {
  const [, digits] = /^#(\d+)$/.exec(wanted) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function readText(path: string): string {
  return unlessAbsent(() => readFileSync(path, 'utf8')) ?? '';
}
