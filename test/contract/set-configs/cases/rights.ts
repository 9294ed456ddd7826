import { LOGS, own, paths, perms, twice } from '../entries.ts';
import type { Case } from '../play.ts';

/** Cases about /run_command and the sections directories, files and permissions. */
export const RIGHTS: readonly Case[] = [
  {
    name: '/run_command is a link',
    files: { run_command: { link: '/etc/command' }, 'etc/command': { text: 'old', mode: 0o600, owner: 42425 } },
    config: { command: 'new' },
  },
  {
    name: '/run_command is there',
    files: { run_command: { text: 'old and long', mode: 0o600, owner: 42425 } },
    config: { command: 'new' },
  },
  { name: '/run_command is a directory', files: { run_command: { directory: true } }, config: { command: 'new' } },
  // The sections directories, files and permissions.
  {
    name: 'directories',
    config: paths(
      'directories',
      { path: '/var/lib/x/y/', owner: 'keystone', perm: '0640' },
      { path: '/etc', owner: 'root', perm: '0755' },
    ),
  },
  { name: 'directories with recurse', files: LOGS, config: paths('directories', own({})) },
  {
    name: 'directories over a file',
    files: { 'var/x': 'x' },
    config: paths('directories', { path: '/var/x', owner: 'root', perm: '0755' }),
  },
  {
    name: 'directories below a link',
    files: { 'real/a': 'x', 'var/x': { link: '/real' } },
    config: paths('directories', { path: '/var/x/new', owner: 'nova', perm: '0700' }),
  },
  {
    name: 'files',
    files: { 'etc/there': { text: 'kept', mode: 0o600 } },
    config: paths(
      'files',
      { path: '/etc/new', owner: 'keystone', perm: '0640' },
      { path: '/etc/there', owner: 'nova', perm: '0644' },
    ),
  },
  { name: 'files over a directory', config: paths('files', { path: '/etc', owner: 'root', perm: '0755' }) },
  {
    name: 'files over a link',
    files: { 'etc/l': { link: 'passwd' } },
    config: paths('files', { path: '/etc/l', owner: 'root', perm: '0755' }),
  },
  { name: 'files without a parent', config: paths('files', { path: '/none/x', owner: 'root', perm: '0755' }) },
  ...['directories', 'files'].flatMap((section): Case[] => [
    ...[
      {},
      { path: '/x' },
      { path: null, owner: 'root', perm: '0700' },
      { path: '/x*', owner: 'root', perm: '0700' },
      { path: '/x', owner: null, perm: '0700' },
      { path: 5, owner: 'root', perm: '0700' },
      { path: '/x', owner: 'unknown', perm: '0700' },
      { path: '/x', owner: 'root', perm: 'bad' },
      'x',
      null,
    ].map((value): Case => ({ name: `${section} ${JSON.stringify(value)}`, config: paths(section, value) })),
    { name: `the section ${section} null`, config: { command: 'x', [section]: null } },
  ]),
  {
    name: 'permissions',
    files: LOGS,
    config: perms({ path: '/var/log/kolla/*.log', owner: 'keystone', perm: '0644' }),
    runs: twice,
  },
  { name: 'permissions without perm', files: LOGS, config: perms({ path: '/var/log/kolla/b.log', owner: 'keystone' }) },
  { name: 'permissions with recurse', files: LOGS, config: perms(own({})), runs: twice },
  {
    name: 'permissions with recurse in an excluded directory',
    files: LOGS,
    config: perms(own({ exclude: ['/sub$'] })),
  },
  ...[
    ['a.log'],
    ['a', 'b'],
    ['log', 'a'],
    ['^/var/log/kolla/[ab]'],
    ['(?P<x>a)(?P=x)?.log$'],
    [String.raw`\.log\Z`],
    ['(?i)A.LOG'],
    [],
    '',
    'ab',
    {},
    [String.raw`\d`],
    ['a{,1}.log'],
    ['[]a].log'],
    [String.raw`\Avar`],
    ['a$'],
    ['.*'],
    [String.raw`kolla\/sub`],
    ['(?#x)sub'],
    [String.raw`\w+\-?b`],
    ['[', 'x'],
    ['*'],
    [5],
    null,
    5,
  ].map((exclude): Case => ({
    name: `exclude ${JSON.stringify(exclude)}`,
    files: LOGS,
    config: perms(own({ exclude })),
  })),
  { name: 'permissions of a missing path', config: perms({ path: '/none', owner: 'root', perm: '0700' }) },
  {
    name: 'permissions of a dangling link',
    files: { 'etc/l': { link: '/none' } },
    config: perms({ path: '/etc/l', owner: 'nova', perm: '0700' }),
  },
  {
    name: 'permissions of a link',
    files: { 'etc/l': { link: 'passwd' } },
    config: perms({ path: '/etc/l', owner: 'nova', perm: '0600' }),
  },
  { name: 'permissions of an unknown user where nothing matches', config: perms({ path: '/none', owner: 'unknown' }) },
  { name: 'permissions with other keys', files: LOGS, config: perms(own({ why: 'because' })) },
  {
    name: 'permissions below a root that contains links',
    files: { ...LOGS, 'var/log/kolla/l': { link: 'sub/c.log' } },
    config: perms(own({})),
  },
  ...[{}, { path: '/x' }, { owner: 'root' }, { path: 5, owner: 'root' }, 'x'].map((value): Case => ({
    name: `permissions ${JSON.stringify(value)}`,
    config: { command: 'x', permissions: [value] },
  })),
  ...[null, 5, {}, ''].map((value): Case => ({
    name: `the section permissions ${JSON.stringify(value)}`,
    config: { command: 'x', permissions: value },
  })),
];
