import { A, DIRECTORY, check, checked, dir, entry, one, twice } from '../entries.ts';
import { CONFIG, type Case } from '../play.ts';

/** Cases about entries of config_files. */
export const FILES: readonly Case[] = [
  { name: 'a file', files: A, config: one(), runs: checked },
  {
    name: 'a file over the image’s own',
    files: { ...A, 'etc/keystone/a.conf': { text: 'image', mode: 0o600, owner: 42425 } },
    config: one(),
  },
  { name: 'a file twice, nothing of the image there', files: A, config: one(), runs: twice },
  {
    name: 'two starts over the image’s own',
    files: { ...A, 'etc/keystone/a.conf': 'image' },
    config: one(),
    runs: [{}, check],
  },
  { name: 'a directory as the destination', files: A, config: one({}, '/etc/keystone/'), runs: checked },
  {
    name: 'a dropped entry: a file that the image did not have is removed',
    files: A,
    config: one(),
    runs: [{}, { config: { command: 'run' } }],
  },
  {
    name: 'a check with an entry dropped',
    files: A,
    config: one(),
    runs: [{}, { config: { command: 'run' }, ...check }],
  },
  {
    name: 'a dropped entry: the image’s own file is restored',
    files: { ...A, 'etc/keystone/a.conf': { text: 'image', mode: 0o640, owner: 42436 } },
    config: one(),
    runs: [{}],
  },
  ...['0600', '600', '0o600', '0o0600', '4755', '1777', '', null].map((perm): Case => ({
    name: `perm ${JSON.stringify(perm)}`,
    files: { [`${CONFIG}/a.conf`]: { text: 'a', mode: 0o4711 } },
    config: one({ perm }),
  })),
  ...[600, '60', '06000', '0x180', 'rw', '0o6', '0680', [], true, '0600\n', '0o60000'].map((perm): Case => ({
    name: `perm ${JSON.stringify(perm)}`,
    files: A,
    config: one({ perm }),
  })),
  ...['keystone', 'keystone:', 'keystone:kolla', 'nova:keystone', 'root', 'nobody:nogroup'].map((owner): Case => ({
    name: `owner ${owner}`,
    files: A,
    config: one({ owner }),
    runs: checked,
  })),
  ...['nobody', '42425', 'unknown', '', ':kolla', 'keystone:unknown', 'a:b:c', null, 5, ['keystone']].map(
    (owner): Case => ({ name: `owner ${JSON.stringify(owner)}`, files: A, config: one({ owner }) }),
  ),
  ...[true, 1, 'false', 'yes', [0], false, 0, '', null, [], {}].flatMap((value): Case[] => [
    { name: `optional ${JSON.stringify(value)}, missing`, config: one({ optional: value }) },
    {
      name: `preserve_properties ${JSON.stringify(value)}`,
      files: { [`${CONFIG}/a.conf`]: { text: 'a', mode: 0o6751, owner: 42436 } },
      config: one({ preserve_properties: value }),
    },
    {
      name: `merge ${JSON.stringify(value)} into a directory`,
      files: { ...DIRECTORY, 'etc/d/theirs': 't' },
      config: dir({ merge: value }),
      runs: [{}],
    },
  ]),
  { name: 'a directory', files: DIRECTORY, config: dir(), runs: twice },
  {
    name: 'a directory with perm 0755, checked',
    files: { [`${CONFIG}/d/one`]: '1' },
    config: dir({ perm: '0755' }),
    runs: checked,
  },
  { name: 'a directory into a directory', files: DIRECTORY, config: dir({}, '/etc/x/') },
  ...[
    ['d/.', {}],
    ['d/.', { merge: true }],
    ['d/./', {}],
    ['*/.', {}],
    ['a.conf/.', { optional: true }],
  ].map(([source, more]) => ({
    name: `${source as string} into a directory${JSON.stringify(more)}`,
    files: { ...DIRECTORY, ...A },
    config: { command: 'run', config_files: [entry(source as string, '/etc/x/', more as object)] },
  })),
  { name: 'a directory over a file', files: { ...DIRECTORY, 'etc/d': 'file' }, config: dir() },
  { name: 'a directory merged over a file', files: { ...DIRECTORY, 'etc/d': 'file' }, config: dir({ merge: true }) },
  { name: 'a file over a directory', files: { ...A, 'etc/keystone/a.conf/x': 'x' }, config: one() },
  {
    name: 'a file merged over a directory',
    files: { ...A, 'etc/keystone/a.conf/x': 'x' },
    config: one({ merge: true }),
  },
  {
    name: 'a directory preserved',
    files: { ...DIRECTORY, [`${CONFIG}/d/sub`]: { directory: true, mode: 0o2750, owner: 42436 } },
    config: dir({ preserve_properties: true }),
  },
  {
    name: 'a directory with a trailing slash',
    files: DIRECTORY,
    config: { command: 'run', config_files: [entry('d/', '/etc/d/')] },
  },
  {
    name: 'a directory merged, with a link preserved',
    files: { ...DIRECTORY, [`${CONFIG}/d/link`]: { link: 'one.conf' }, [`${CONFIG}/d/nowhere`]: { link: '/none' } },
    config: dir({ preserve_properties: true, merge: true }),
  },
  {
    name: 'a directory with a link',
    files: { ...DIRECTORY, [`${CONFIG}/d/link`]: { link: 'one.conf' }, [`${CONFIG}/d/directory`]: { link: 'sub' } },
    config: dir(),
  },
  {
    name: 'a ConfigMap as the kubelet mounts it',
    files: {
      [`${CONFIG}/..2026/a.conf`]: 'a',
      [`${CONFIG}/..data`]: { link: '..2026' },
      [`${CONFIG}/a.conf`]: { link: '..data/a.conf' },
    },
    config: one(),
    runs: checked,
  },
  {
    name: 'a source that is a dangling link',
    files: { [`${CONFIG}/a.conf`]: { link: '/none' } },
    config: one({ optional: true }),
  },
  {
    name: 'a dest that is a link to a file',
    files: { ...A, 'etc/target': 'target' },
    config: { command: 'run', config_files: [entry('a.conf', '/etc/new.conf')] },
  },
  {
    name: 'a dest below a link to a directory',
    files: { ...A, 'etc/real/x': 'x', 'etc/keystone': { link: 'real' } },
    config: one(),
  },
  {
    name: 'a dest below an absolute link',
    files: { ...A, 'etc/real/x': 'x', 'etc/keystone': { link: '/etc/real' } },
    config: one(),
  },
  { name: 'a dest below a file', files: { ...A, 'etc/keystone': 'file' }, config: one() },
  {
    name: 'a dest in a setgid directory',
    files: { ...A, 'var/log/kolla': { directory: true, mode: 0o2775, owner: 42400 } },
    config: one({}, '/var/log/kolla/x/y/a.conf'),
  },
  { name: 'a dest that is not normalized', files: A, config: one({}, '/etc//x/../keystone/./a.conf') },
  { name: 'a dest without a slash', files: A, config: one({}, 'a.conf') },
  { name: 'a relative dest', files: A, config: one({}, 'etc/keystone/a.conf') },
  {
    name: 'two entries for one dest',
    files: { ...A, [`${CONFIG}/b`]: 'b' },
    config: { command: 'run', config_files: [entry('a.conf', '/etc/x'), entry('b', '/etc/x', { perm: '0644' })] },
  },
  {
    name: 'one entry’s dest is the next one’s source',
    files: A,
    config: {
      command: 'run',
      config_files: [entry('a.conf', '/etc/x'), { source: '/etc/x', dest: '/etc/y', owner: 'nova', perm: '0644' }],
    },
  },
  ...[
    '*.conf',
    '[ab].conf',
    '[!a].conf',
    '?.conf',
    '**',
    '*',
    '.*',
    'b[.]conf',
    '{a,b}.conf',
    '[z-a]*',
    '[',
    '*/',
    'no*',
  ].map((pattern): Case => ({
    name: `source ${pattern}`,
    files: { ...DIRECTORY, ...A, [`${CONFIG}/b.conf`]: 'b', [`${CONFIG}/.h.conf`]: 'h' },
    config: { command: 'run', config_files: [entry(pattern, '/etc/out/', { optional: true })] },
    runs: [{}],
  })),
  {
    name: 'a pattern into one dest: the last wins',
    files: { [`${CONFIG}/a.conf`]: 'a' },
    config: { command: 'run', config_files: [entry('*.conf', '/etc/out')] },
  },
  {
    name: 'a source with brackets in its name',
    files: { [`${CONFIG}/x[1]`]: 'x' },
    config: { command: 'run', config_files: [entry('x[1]', '/etc/x')] },
  },
  {
    name: 'a directory with trailing slashes over the image’s own',
    files: { ...DIRECTORY, 'etc/d/image': 'i' },
    config: { command: 'run', config_files: [entry('d/', '/etc/d/')] },
  },
  {
    name: 'a dest through .. of a file',
    files: { ...A, 'etc/svc': 'file' },
    config: one({}, '/etc/svc/../svc2/x.conf'),
  },
  { name: 'a missing source', config: one() },
  {
    name: 'a missing second source',
    files: A,
    config: { command: 'run', config_files: [entry('a.conf', '/etc/x'), entry('no', '/etc/y')] },
  },
  {
    name: 'a missing source before one that is a number',
    config: { command: 'run', config_files: [entry('no', '/etc/y'), { ...entry('', '/etc/z'), source: 5 }] },
  },
  { name: 'an unknown key', files: A, config: one({ mode: '0600' }) },
];
