/**
 * Intended differences. Each test shows the fault of the reference and then our result;
 * docs/reference/kolla-contract.md has the reasons.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './entries.ts';
import { byUs } from './ours.ts';
import { CONFIG, play, type Outcome } from './play.ts';
import { A, at, config, differs, image, IMAGE, plain, skip } from './differ.ts';
import { differences } from './tree.ts';

differs(
  'the image’s own file stays kept at the third start',
  { files: image, config: plain, runs: [{}, {}, {}] },
  ({ theirs, ours }) => {
    assert.match(at(theirs, 'etc/kolla/defaults/etc/a.conf'), /deployed/);
    assert.equal(at(ours, 'etc/kolla/defaults/etc/a.conf'), IMAGE);
  },
);

differs(
  'an entry dropped after three starts restores the image’s own file',
  { files: image, config: plain, runs: [{}, {}, {}, { config: { command: 'run' } }] },
  ({ theirs, ours }) => {
    assert.match(at(theirs, 'etc/a.conf'), /deployed/);
    assert.equal(at(ours, 'etc/a.conf'), IMAGE);
  },
);

differs(
  'a state whose paths Kolla’s own tool swapped is read correctly',
  {
    files: {
      ...image,
      'etc/kolla/defaults/etc/a.conf': { text: 'image', mode: 0o640 },
      'etc/kolla/defaults/state': JSON.stringify({
        '/etc/a.conf': { source: '/etc/kolla/defaults/etc/a.conf', preserve_properties: true, dest: '/etc/a.conf' },
      }),
    },
    config: plain,
  },
  ({ theirs, ours }) => {
    assert.match(at(theirs, 'etc/kolla/defaults/etc/a.conf'), /image/);
    assert.equal(at(ours, 'etc/kolla/defaults/etc/a.conf'), IMAGE);
    assert.match(at(ours, 'etc/a.conf'), /deployed/);
  },
);

differs(
  'files that a service wrote into a merged directory stay',
  {
    files: { [`${CONFIG}/d/x`]: 'x' },
    config: config(entry('d', '/etc/d', { merge: true })),
    runs: [{}, { meanwhile: { 'etc/d/theirs': 'precious' } }],
  },
  ({ theirs, ours }) => {
    assert.equal(at(theirs, 'etc/d/theirs'), 'absent');
    assert.match(at(ours, 'etc/d/theirs'), /precious/);
  },
);

differs(
  'files that a service wrote into a merged directory of the image stay',
  {
    files: { [`${CONFIG}/d/x`]: 'x', 'etc/d/y': 'y' },
    config: config(entry('d', '/etc/d', { merge: true })),
    runs: [{}, { meanwhile: { 'etc/d/theirs': 'precious' } }],
  },
  ({ theirs, ours }) => {
    assert.equal(at(theirs, 'etc/d/theirs'), 'absent');
    assert.match(at(ours, 'etc/d/theirs'), /precious/);
    assert.match(at(ours, 'etc/d/y'), / y$/);
  },
);

differs(
  'a service’s file in a merged directory is kept as the default of an entry that is added for it',
  {
    files: { ...A, [`${CONFIG}/d/x`]: 'x' },
    config: config(entry('d', '/etc/d')),
    runs: [
      {},
      {
        meanwhile: { 'etc/d/theirs': 'precious' },
        config: config(entry('d', '/etc/d', { merge: true }), entry('a.conf', '/etc/d/theirs')),
      },
      { config: config(entry('d', '/etc/d', { merge: true })) },
    ],
  },
  ({ theirs, ours }) => {
    assert.equal(at(theirs, 'etc/d/theirs'), 'absent');
    assert.match(at(ours, 'etc/d/theirs'), /precious/);
  },
);

differs(
  'an image’s own file that is a link is restored as a link',
  {
    files: { ...A, 'etc/target': 'target', 'etc/a.conf': { link: 'target' } },
    config: plain,
    runs: [{}, { config: { command: 'run' } }],
  },
  ({ theirs, ours }) => {
    assert.match(at(theirs, 'etc/a.conf'), /^file/);
    assert.equal(at(ours, 'etc/a.conf'), 'link target');
  },
);

differs(
  'a destination that is a link to a directory is replaced',
  { files: { ...A, 'etc/real/x': 'x', 'etc/a.conf': { link: 'real' } }, config: plain },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.equal(ours.code, 0);
    assert.match(at(ours, 'etc/a.conf'), /deployed/);
    assert.match(at(ours, 'etc/real/x'), / x$/);
  },
);

differs(
  'a dangling link of the image is restored',
  { files: { ...A, 'etc/a.conf': { link: '/none' } }, config: plain, runs: [{}, { config: { command: 'run' } }] },
  ({ theirs, ours }) => {
    assert.equal(at(theirs, 'etc/a.conf'), 'absent');
    assert.equal(at(ours, 'etc/a.conf'), 'link /none');
  },
);

// Kolla's tool copies the directory into itself until its paths are too long for any tool to read.
test('a destination that contains the saved files is rejected before anything is touched', { skip }, async () => {
  const dest = { source: `/${CONFIG}/d/`, dest: '/etc/', owner: 'root', perm: '0644', merge: true };
  const one = { name: 'all of /etc', files: { [`${CONFIG}/d/x`]: 'x' }, config: config(dest) };
  const [ours] = await play(one, byUs);
  assert.equal(ours?.code, 2);
  assert.match(ours.stderr, /\/etc\/ can't be replaced/);
  assert.deepEqual(differences(ours.before, ours.tree), []);
});

// The tree is not compared, because it is as deep as paths can be.
test('a directory that would be copied into itself is rejected before anything is touched', { skip }, async () => {
  const config_files = [{ source: '/etc/d', dest: '/etc/d/sub', owner: 'root', perm: '0755' }];
  const one = { name: 'into itself', files: { 'etc/d/x': 'x' }, config: { command: 'run', config_files } };
  const [ours] = await play(one, byUs);
  assert.equal(ours?.code, 2);
  assert.match(ours.stderr, /\/etc\/d\/sub: it is inside \/etc\/d/);
  assert.deepEqual(differences(ours.before, ours.tree), []);
});

differs(
  'a destination through `..` of a missing directory is created',
  { files: A, config: config(entry('a.conf', '/none/../etc/a.conf')) },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.equal(ours.code, 0, ours.stderr);
    assert.match(at(ours, 'etc/a.conf'), /deployed/);
  },
);

differs(
  'an installed dangling link is removed with its entry',
  {
    // The link resolves at its source and is broken at its destination.
    files: { ...A, [`${CONFIG}/l`]: { link: 'a.conf' } },
    config: config(entry('l', '/etc/x/l', { merge: true, preserve_properties: true })),
    runs: [{}, { config: { command: 'run' } }],
  },
  ({ theirs, ours }) => {
    assert.equal(at(theirs, 'etc/x/l'), 'link a.conf');
    assert.equal(at(ours, 'etc/x/l'), 'absent');
  },
);

differs(
  'an installed dangling link is removed before a directory that holds it is copied',
  {
    files: { ...A, [`${CONFIG}/l`]: { link: 'a.conf' }, 'etc/x/own': 'own' },
    config: config(entry('l', '/etc/x/l', { merge: true, preserve_properties: true })),
    runs: [{}, { config: config({ source: '/etc/x', dest: '/var/lib/x/', owner: 'root', perm: '0700' }) }],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.match(theirs.stderr, /^FileNotFoundError: .*'\/etc\/x\/l'$/m);
    assert.equal(ours.code, 0, ours.stderr);
    assert.equal(at(ours, 'etc/x/l'), 'absent');
    assert.match(at(ours, 'var/lib/x/x/own'), /own/);
  },
);

differs(
  'an installed link whose target is installed through a linked directory is removed before it is installed again',
  {
    files: { ...A, [`${CONFIG}/l`]: { link: 'a.conf' }, 'etc/linked': { link: 'x' }, 'etc/x/own': 'own' },
    config: config(
      entry('a.conf', '/etc/linked/a.conf'),
      entry('l', '/etc/x/l', { merge: true, preserve_properties: true }),
    ),
    runs: [{}, {}],
  },
  ({ theirs, ours }) => {
    assert.match(theirs.stderr, /Deleting \/etc\/x\/l$/m);
    assert.doesNotMatch(ours.stderr, /Deleting/);
    assert.equal(at(ours, 'etc/x/l'), 'link a.conf');
  },
);

differs(
  'a path that several exclude patterns don’t match is logged once',
  {
    files: { 'var/log/x/a.log': 'a' },
    config: {
      command: 'run',
      permissions: [{ path: '/var/log/x', owner: 'nova', recurse: true, exclude: ['b', 'c'] }],
    },
  },
  ({ theirs, ours }) => {
    const told = ({ stderr }: Outcome) => stderr.match(/Setting permission for \/var\/log\/x\/a.log/g)?.length;
    assert.deepEqual([told(theirs), told(ours)], [2, 1]);
  },
);

differs(
  'a destination that is its own source is not deleted',
  { files: A, config: config(entry('a.conf', `/${CONFIG}/a.conf`)) },
  ({ theirs, ours }) => {
    assert.deepEqual([theirs.code, ours.code], [2, 2]);
    assert.equal(at(theirs, `${CONFIG}/a.conf`), 'absent');
    assert.match(at(ours, `${CONFIG}/a.conf`), /deployed/);
  },
);

differs(
  'brackets in a destination’s name are not a pattern',
  { files: A, config: config(entry('a.conf', '/etc/x[1]')) },
  ({ theirs, ours }) => {
    assert.match(at(theirs, 'etc/x[1]'), /^file 0:0 644/);
    assert.match(at(ours, 'etc/x[1]'), /^file 42425:42425 600/);
  },
);

differs(
  'an image’s own file with brackets in its name is kept',
  { files: { ...A, 'etc/x[1]': 'image' }, config: config(entry('a.conf', '/etc/x[1]')) },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 1);
    assert.equal(ours.code, 0);
    assert.match(at(ours, 'etc/kolla/defaults/etc/x[1]'), /image/);
  },
);

differs(
  'a start that fails halfway changes nothing',
  {
    files: { ...image, [`${CONFIG}/b`]: 'b' },
    config: config(entry('a.conf', '/etc/a.conf'), entry('b', '/etc/b', { owner: 'unknown' })),
  },
  ({ theirs, ours }) => {
    assert.deepEqual([theirs.code, ours.code], [2, 2]);
    assert.match(at(theirs, 'etc/b'), /^file 0:0 644 b/, 'a world-readable secret');
    assert.deepEqual(differences(ours.before, ours.tree), []);
    assert.match(ours.stderr, /no user 'unknown'.*Nothing was touched/s);
  },
);

differs(
  'links in a service’s directory are not followed out of it',
  {
    files: { 'var/log/x/link': { link: '/etc/precious' }, 'etc/precious': { text: 'p', mode: 0o600 } },
    config: { command: 'run', permissions: [{ path: '/var/log/x', owner: 'nova', perm: '0666', recurse: true }] },
  },
  ({ theirs, ours }) => {
    assert.match(at(theirs, 'etc/precious'), /^file 42436:42436 666/);
    assert.match(at(ours, 'etc/precious'), /^file 0:0 600/);
  },
);

differs(
  'a file that is up to date is not rewritten',
  { files: A, config: plain, runs: [{}, {}] },
  ({ theirs, ours }) => {
    assert.notEqual(theirs.before.get('etc/a.conf')?.mtime, theirs.tree.get('etc/a.conf')?.mtime);
    for (const path of ['etc/a.conf', 'run_command', 'etc/kolla/defaults/state'])
      assert.equal(ours.before.get(path)?.mtime, ours.tree.get(path)?.mtime, path);
  },
);

differs(
  'a truncated state is rejected with the fix before anything is touched',
  { files: { ...image, 'etc/kolla/defaults/state': '{"/etc' }, config: plain },
  ({ theirs, ours }) => {
    assert.deepEqual([theirs.code, ours.code], [2, 2]);
    assert.match(ours.stderr, /re-create the container/);
    assert.deepEqual(differences(ours.before, ours.tree), []);
  },
);
