/** Links of a service's user in paths that root changes: Kolla's tool follows them, ours exits with 1 and writes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, both, config, skip, type Both } from './differ.ts';
import { entry } from './entries.ts';
import { CONFIG, linesOf, type Case } from './play.ts';
import { differences, type Files } from './tree.ts';

const NOVA = 42_436;
const KOLLA = 42_400;
/** Directories as in Kolla's base image, without the setgid bit, and the attacker's target. */
const LOGS = 'var/log/kolla';
const FILES: Files = {
  'etc/shadow': { text: 'root:*', mode: 0o640 },
  [LOGS]: { directory: true, mode: 0o775, owner: KOLLA },
  [`${CONFIG}/a.conf`]: 'deployed',
  [`${CONFIG}/d/sub/shadow`]: 'root::',
};
const chown = (path: string, more: object = {}) => ({ path, owner: 'nova:nova', perm: '0755', ...more });
const etc: Files = { [`${LOGS}/nova`]: { link: '/etc', owner: NOVA } };
/** A link to /opt, for paths that Kolla's tool saves in /etc/kolla/defaults: a copy of /etc would contain itself. */
const opt = (path: string): Files => ({
  'opt/shadow': { text: 'root:*', mode: 0o640 },
  [path]: { link: '/opt', owner: NOVA },
});

/** Ours exits with 1, names entry and link, and changes nothing; Kolla's changes the link's target. */
function refuses(
  name: string,
  { place, ...one }: Omit<Case, 'name'> & { place: string },
  stolen: (both: Both) => void,
) {
  test(`a link of another user is not followed: ${name}`, { skip }, async () => {
    const outcome = await both({ name, ...one, files: { ...FILES, ...one.files } });
    stolen(outcome);
    const { ours } = outcome;
    const said = linesOf(ours).find((line) => line.startsWith('ERROR'));
    assert.match(said ?? '', /^ERROR InvalidConfig: (\S+): \/\S+ is a link to /);
    assert.equal(/^ERROR InvalidConfig: (\S+): /.exec(said ?? '')?.[1], place);
    assert.equal(ours.code, 1);
    assert.deepEqual(differences(ours.before, ours.tree), []);
  });
}

const ofNova =
  (path: string) =>
  ({ theirs }: Both) =>
    assert.match(at(theirs, path), new RegExp(`${NOVA}:${NOVA}`));
const written =
  (path: string) =>
  ({ theirs }: Both) =>
    assert.match(at(theirs, path), / (?:deployed|root::|)$/);

refuses(
  "permissions with recurse, as kolla-ansible's own entry",
  {
    place: 'permissions[0].path',
    files: etc,
    config: { ...config(), permissions: [chown(`/${LOGS}/nova`, { recurse: true })] },
  },
  ofNova('etc/shadow'),
);

refuses(
  'permissions, the directory above',
  { place: 'permissions[0].path', files: etc, config: { ...config(), permissions: [chown(`/${LOGS}/nova/shadow`)] } },
  ofNova('etc/shadow'),
);

refuses(
  'permissions, where root owns the link but the group kolla can write the directory',
  {
    place: 'permissions[0].path',
    files: { [`${LOGS}/nova`]: { link: '/etc' } },
    config: { ...config(), permissions: [chown(`/${LOGS}/nova`)] },
  },
  ofNova('etc'),
);

refuses(
  'permissions, where a directory further up is writable by others',
  {
    place: 'permissions[0].path',
    files: { srv: { directory: true, mode: 0o777 }, 'srv/own/link': { link: '/etc' } },
    config: { ...config(), permissions: [chown('/srv/own/link')] },
  },
  ofNova('etc'),
);

refuses(
  'directories',
  { place: 'directories[0].path', files: etc, config: { ...config(), directories: [chown(`/${LOGS}/nova`)] } },
  ofNova('etc'),
);

refuses(
  'directories, one below the link',
  { place: 'directories[0].path', files: etc, config: { ...config(), directories: [chown(`/${LOGS}/nova/cron.d`)] } },
  ofNova('etc/cron.d'),
);

refuses(
  'files',
  { place: 'files[0].path', files: etc, config: { ...config(), files: [chown(`/${LOGS}/nova/ld.so.preload`)] } },
  ofNova('etc/ld.so.preload'),
);

refuses(
  'files, an existing one',
  { place: 'files[0].path', files: etc, config: { ...config(), files: [chown(`/${LOGS}/nova/shadow`)] } },
  ofNova('etc/shadow'),
);

refuses(
  'dest',
  { place: 'config_files[0].dest', files: etc, config: config(entry('a.conf', `/${LOGS}/nova/shadow`)) },
  written('etc/shadow'),
);

refuses(
  'dest, a directory that is merged into',
  {
    place: 'config_files[0].dest',
    files: opt(`${LOGS}/nova`),
    config: config(entry('d/sub', `/${LOGS}/nova`, { merge: true })),
  },
  written('opt/shadow'),
);

refuses(
  'dest, a link in the directory that is merged into',
  {
    place: 'config_files[0].dest',
    files: opt(`${LOGS}/nova/sub`),
    config: config(entry('d', `/${LOGS}/nova`, { merge: true })),
  },
  written('opt/shadow'),
);

refuses(
  'source',
  {
    place: 'config_files[0].source',
    files: { [`${CONFIG}/mine.conf`]: { link: '/etc/shadow', owner: NOVA } },
    config: config(entry('mine.conf', '/etc/nova/mine.conf', { owner: 'nova' })),
  },
  ({ theirs }) => assert.match(at(theirs, 'etc/nova/mine.conf'), new RegExp(`${NOVA}:${NOVA} \\d+ root:\\*$`)),
);

refuses(
  'source, a link in the directory that is copied',
  {
    place: 'config_files[0].source',
    files: { [`${CONFIG}/mine/d/shadow`]: { link: '/etc/shadow', owner: NOVA } },
    config: config(entry('mine', '/etc/nova/mine', { owner: 'nova' })),
  },
  ({ theirs }) => assert.match(at(theirs, 'etc/nova/mine/d/shadow'), / root:\*$/),
);

const NAMED: Files = {
  [`${LOGS}/nova`]: { directory: true, owner: NOVA },
  [`${LOGS}/nova/log`]: { nameOf: 'etc/shadow' },
};

test('a hard link to a file of another user is not chowned to the service', { skip }, async () => {
  const one = { ...config(), permissions: [chown(`/${LOGS}/nova/log`)] };
  const { theirs, ours } = await both({ name: 'named', files: { ...FILES, ...NAMED }, config: one });
  assert.match(at(theirs, 'etc/shadow'), new RegExp(`${NOVA}:${NOVA}`));
  assert.equal(ours.code, 1);
  assert.deepEqual(differences(ours.before, ours.tree), []);
  const said = linesOf(ours).find((line) => line.startsWith('ERROR'));
  assert.match(said ?? '', /permissions\[0\]\.path: \/var\/log\/kolla\/nova\/log is one of 2 names of a file/);
});

test(
  "a hard link to a file of another user below a directory with recurse is skipped and logged; the service's own is not",
  { skip },
  async () => {
    const files = {
      ...FILES,
      ...NAMED,
      [`${LOGS}/nova/own`]: { text: 'own', owner: NOVA },
      [`${LOGS}/nova/own-too`]: { nameOf: `${LOGS}/nova/own` },
    };
    const one = { ...config(), permissions: [chown(`/${LOGS}/nova`, { recurse: true })] };
    const { ours } = await both({ name: 'named below', files, config: one });
    assert.equal(ours.code, 0);
    assert.equal(at(ours, 'etc/shadow'), 'file 0:0 640 root:*');
    assert.equal(at(ours, `${LOGS}/nova/own-too`), `file ${NOVA}:${NOVA} 755 own`);
    const skipped = linesOf(ours).filter((line) => line.includes('is skipped'));
    assert.deepEqual(
      skipped.map((line) => line.split(' is skipped')[0]),
      [`WARNING permissions[0].path: /${LOGS}/nova/log`],
    );
  },
);

test('a link of another user is not followed: an entry that is dropped', { skip }, async () => {
  const dest = `/${LOGS}/nova/a.conf`;
  const state = JSON.stringify({ [dest]: { source: null, preserve_properties: true, dest: null } });
  const files = { ...FILES, ...etc, 'etc/a.conf': "the image's", 'etc/kolla/defaults/state': state };
  const { theirs, ours } = await both({ name: 'dropped', files, config: config() });
  assert.equal(at(theirs, 'etc/a.conf'), 'absent');
  assert.equal(ours.code, 1);
  assert.match(ours.stderr, /InvalidConfig: \/etc\/kolla\/defaults\/state: \/var\/log\/kolla\/nova is a link to \/etc/);
  assert.deepEqual(differences(ours.before, ours.tree), []);
});

test("a match behind another user's link is skipped and logged", { skip }, async () => {
  const files = { ...FILES, ...etc, [`${LOGS}/glance/api.log`]: 'a line' };
  const permissions = [chown(`/${LOGS}/*`, { recurse: true }), chown(`/${LOGS}/*/shadow`)];
  const { theirs, ours } = await both({ name: 'pattern', files, config: { ...config(), permissions } });
  assert.match(at(theirs, 'etc/shadow'), new RegExp(`${NOVA}:${NOVA}`));
  assert.equal(ours.code, 0);
  assert.equal(at(ours, 'etc/shadow'), 'file 0:0 640 root:*');
  assert.match(at(ours, `${LOGS}/glance/api.log`), new RegExp(`${NOVA}:${NOVA}`));
  const skipped = linesOf(ours).filter((line) => line.includes('is skipped'));
  assert.equal(skipped.length, 2);
  assert.match(
    skipped[0]!,
    /^WARNING permissions\[0\]\.path: \/var\/log\/kolla\/nova is skipped: .* is a link to \/etc/,
  );
  assert.match(skipped[1]!, /^WARNING permissions\[1\]\.path: \/var\/log\/kolla\/nova\/shadow is skipped/);
});

const followed: Record<string, { files: Files; config: object }> = {
  "root's link in directories that only root can write": {
    files: { 'var/run': { link: '/run' }, 'run/nova': { directory: true } },
    config: {
      ...config(entry('a.conf', '/var/run/nova/a.conf')),
      directories: [chown('/var/run/nova/made')],
      permissions: [chown('/var/run/nova', { recurse: true })],
    },
  },
  "root's link in a directory that root's group can write": {
    files: {
      'var/lib/a': { directory: true, mode: 0o775 },
      'var/lib/a/run': { link: '../../../run' },
      'run/nova': 'x',
    },
    config: { ...config(), permissions: [chown('/var/lib/a/run/nova')] },
  },
  "a service's own link inside a directory with recurse": {
    files: { [`${LOGS}/nova/api.log`]: 'a line', [`${LOGS}/nova/latest`]: { link: 'api.log', owner: NOVA } },
    config: { ...config(), permissions: [chown(`/${LOGS}/nova`, { recurse: true })] },
  },
  "a source's links whose targets their owner owns": {
    files: {
      [`${CONFIG}/..2026/mapped.conf`]: { text: 'of a ConfigMap', owner: NOVA },
      [`${CONFIG}/..data`]: { link: '..2026', owner: NOVA },
      [`${CONFIG}/mapped.conf`]: { link: '..data/mapped.conf', owner: NOVA },
      [CONFIG]: { directory: true, mode: 0o777, owner: NOVA },
    },
    config: config(entry('mapped.conf', '/etc/nova/mapped.conf')),
  },
};

for (const [name, one] of Object.entries(followed))
  test(`a link is followed, as by Kolla: ${name}`, { skip }, async () => {
    const { theirs, ours } = await both({ name, ...one, files: { ...FILES, ...one.files } });
    assert.deepEqual([theirs.code, ours.code], [0, 0], `${theirs.stderr}${ours.stderr}`);
    assert.deepEqual(differences(theirs.tree, ours.tree), []);
  });
