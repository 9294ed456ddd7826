/** Parts of the cases: entries as kolla-ansible writes them, and files of an image. */
import { CONFIG } from './play.ts';

export const SOURCE = `/${CONFIG}`;

/** An entry as kolla-ansible writes it. */
export function entry(name: string, dest: string, more: object = {}): object {
  return { source: `${SOURCE}/${name}`, dest, owner: 'keystone', perm: '0600', ...more };
}

export const A = { [`${CONFIG}/a.conf`]: 'a' };
export const DIRECTORY = {
  [`${CONFIG}/d/one.conf`]: '1',
  [`${CONFIG}/d/sub/two.conf`]: { text: '2', mode: 0o640 },
  [`${CONFIG}/d/.hidden`]: 'h',
};
export const twice = [{}, {}];
export const check = { argv: ['--check'] };
export const checked = [{}, check];
export const one = (more: object = {}, dest = '/etc/keystone/a.conf') => ({
  command: 'run',
  config_files: [entry('a.conf', dest, more)],
});
export const dir = (more: object = {}, dest = '/etc/d') => ({ command: 'run', config_files: [entry('d', dest, more)] });
export const perms = (...permissions: object[]) => ({ command: 'run', permissions });
export const paths = (section: string, ...entries: unknown[]) => ({ command: 'run', [section]: entries });
export const LOGS = {
  'var/log/kolla/a.log': { text: 'a', mode: 0o600 },
  'var/log/kolla/b.log': { text: 'b', mode: 0o4755 },
  'var/log/kolla/sub/c.log': { text: 'c', mode: 0o666, owner: 42436 },
};
export const own = (more: object) => ({
  path: '/var/log/kolla',
  owner: 'keystone:kolla',
  perm: '0640',
  recurse: true,
  ...more,
});
