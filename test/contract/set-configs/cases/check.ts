import { A, check, checked, dir, entry, one, own } from '../entries.ts';
import { CONFIG, type Case } from '../play.ts';

const NAMED = { owner: 'keystone', perm: '0600' };

/** Cases of --check after a change. */
export const CHECKS: readonly Case[] = [
  {
    name: 'a check with another command',
    files: A,
    config: one(),
    runs: [{}, { config: { ...one(), command: 'other' }, ...check }],
  },
  {
    name: 'a check with another content',
    files: A,
    config: one(),
    runs: [{}, { meanwhile: { 'etc/keystone/a.conf': 'changed' }, ...check }],
  },
  {
    name: 'a check with another perm',
    files: A,
    config: one(),
    runs: [{}, { config: one({ perm: '0644' }), ...check }],
  },
  {
    name: 'a check with another user',
    files: A,
    config: one(),
    runs: [{}, { config: one({ owner: 'nova' }), ...check }],
  },
  {
    name: 'a check with another group',
    files: A,
    config: one(),
    runs: [{}, { config: one({ owner: 'keystone:kolla' }), ...check }],
  },
  {
    name: 'a check of an optional source created by a later entry, into a missing directory',
    files: A,
    config: {
      command: 'run',
      config_files: [
        { source: '/etc/e', dest: '/etc/new/deep/', owner: 'root', perm: '0600', optional: true },
        entry('a.conf', '/etc/e'),
      ],
    },
    runs: checked,
  },
  {
    name: 'a check with the file missing',
    files: A,
    config: one(),
    runs: [{}, { meanwhile: { 'etc/keystone/a.conf': null }, ...check }],
  },
  {
    name: 'a check with the source missing',
    files: A,
    config: one(),
    runs: [{}, { meanwhile: { [`${CONFIG}/a.conf`]: null }, ...check }],
  },
  {
    name: 'a check with the source missing, before an entry with an unknown key',
    files: A,
    runs: [
      {},
      {
        meanwhile: { [`${CONFIG}/a.conf`]: null },
        config: { command: 'run', config_files: [entry('a.conf', '/etc/keystone/a.conf'), entry('b', '/b', { x: 1 })] },
        ...check,
      },
    ],
    config: one(),
  },
  { name: 'a check of a missing optional file', config: one({ optional: true }), runs: checked },
  {
    name: 'a check of kept properties after permissions set those that the entry names',
    files: { [`${CONFIG}/a.conf`]: { text: 'a', mode: 0o640 } },
    config: { ...one({ preserve_properties: true }), permissions: [own({ path: '/etc/keystone', ...NAMED })] },
    runs: checked,
  },
  {
    name: 'a check of kept properties after permissions set another owner than the entry names',
    files: { [`${CONFIG}/a.conf`]: { text: 'a', mode: 0o640 } },
    config: { ...one({ preserve_properties: true }), permissions: [own({ path: '/etc/keystone', perm: '0600' })] },
    runs: checked,
  },
  {
    name: 'a check of a directory’s kept properties after permissions set those that the entry names',
    files: { [`${CONFIG}/d/sub/a`]: { text: 'a', mode: 0o640 }, [`${CONFIG}/d/sub`]: { directory: true, mode: 0o700 } },
    config: {
      ...dir({ preserve_properties: true, perm: '0755' }),
      permissions: [own({ path: '/etc/d', ...NAMED, perm: '0755' })],
    },
    runs: checked,
  },
  {
    name: 'a check with another file in a directory',
    files: { [`${CONFIG}/d/one`]: '1' },
    config: dir(),
    runs: [{}, { meanwhile: { [`${CONFIG}/d/one`]: '2' }, ...check }],
  },
  {
    name: 'a check with an additional file in the source',
    files: { [`${CONFIG}/d/one`]: '1' },
    config: dir(),
    runs: [{}, { meanwhile: { [`${CONFIG}/d/two`]: '2' }, ...check }],
  },
  {
    name: 'a check of a directory whose parent a later entry replaces by a file',
    files: { [`${CONFIG}/d/one`]: '1', [`${CONFIG}/e`]: 'e' },
    config: { command: 'run', config_files: [entry('d', '/etc/x/d', { optional: true }), entry('e', '/etc/x')] },
    runs: [{}, { meanwhile: { [`${CONFIG}/d`]: null }, ...check }],
  },
];
