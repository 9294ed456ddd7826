import { A, check, checked, dir, entry, one } from '../entries.ts';
import { CONFIG, type Case } from '../play.ts';

/** --check after something has changed. */
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
    name: 'a check of an optional source that a later entry has made, into a directory that is not there',
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
    name: 'a check with the file gone',
    files: A,
    config: one(),
    runs: [{}, { meanwhile: { 'etc/keystone/a.conf': null }, ...check }],
  },
  {
    name: 'a check with the source gone',
    files: A,
    config: one(),
    runs: [{}, { meanwhile: { [`${CONFIG}/a.conf`]: null }, ...check }],
  },
  {
    name: 'a check with the source gone, before an entry with an unknown key',
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
  { name: 'a check of an optional file that is not there', config: one({ optional: true }), runs: checked },
  {
    name: 'a check with another file in a directory',
    files: { [`${CONFIG}/d/one`]: '1' },
    config: dir(),
    runs: [{}, { meanwhile: { [`${CONFIG}/d/one`]: '2' }, ...check }],
  },
  {
    name: 'a check with a file more in the source',
    files: { [`${CONFIG}/d/one`]: '1' },
    config: dir(),
    runs: [{}, { meanwhile: { [`${CONFIG}/d/two`]: '2' }, ...check }],
  },
  {
    name: 'a check of a directory whose parent a later entry makes a file',
    files: { [`${CONFIG}/d/one`]: '1', [`${CONFIG}/e`]: 'e' },
    config: { command: 'run', config_files: [entry('d', '/etc/x/d', { optional: true }), entry('e', '/etc/x')] },
    runs: [{}, { meanwhile: { [`${CONFIG}/d`]: null }, ...check }],
  },
];
