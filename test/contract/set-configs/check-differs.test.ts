/**
 * Where our `--check` differs intentionally: it reports no false differences, and exits with 1 instead of 2 if there is
 * one.
 */
import assert from 'node:assert/strict';
import { entry } from './entries.ts';
import { A, check, config, differs, plain } from './differ.ts';
import { CONFIG } from './play.ts';
import { differences, type Files } from './tree.ts';

const quiet: Record<string, { more: object; files?: Files }> = {
  'perm 600': { more: { perm: '600' } },
  'perm 0o600': { more: { perm: '0o600' } },
  'no perm': { more: { perm: '' } },
  'kept properties': { more: { preserve_properties: true } },
};
for (const [name, { more }] of Object.entries(quiet)) {
  differs(
    `a check right after a start with ${name} reports no change`,
    { files: A, config: config(entry('a.conf', '/etc/a.conf', more)), runs: [{}, check] },
    ({ theirs, ours }) => {
      assert.notEqual(theirs.code, 0);
      assert.equal(ours.code, 0, ours.stderr);
    },
  );
}

differs(
  'a check of directories in a directory reports no change',
  { files: { [`${CONFIG}/d/sub/x`]: 'x' }, config: config(entry('d', '/etc/d')), runs: [{}, check] },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 1);
    assert.equal(ours.code, 0, ours.stderr);
  },
);

differs(
  'a check of two entries for one destination reports no change',
  {
    files: { ...A, [`${CONFIG}/b`]: 'b' },
    config: config(entry('a.conf', '/etc/x'), entry('b', '/etc/x')),
    runs: [{}, check],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 1);
    assert.equal(ours.code, 0, ours.stderr);
  },
);

differs(
  'a check of two files that one pattern finds for one destination reports no change',
  {
    files: { ...A, [`${CONFIG}/b.conf`]: 'b' },
    config: config(entry('*.conf', '/etc/x')),
    runs: [{}, check],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 1);
    assert.equal(ours.code, 0, ours.stderr);
  },
);

differs(
  'a check of a directory whose parent a later entry replaces reports no change',
  {
    files: { ...A, [`${CONFIG}/d/x`]: 'x' },
    config: config(entry('d', '/etc/x/d'), entry('a.conf', '/etc/x')),
    runs: [{}, check],
  },
  ({ theirs, ours }) => {
    assert.notEqual(theirs.code, 0);
    assert.equal(ours.code, 0, ours.stderr);
  },
);

differs(
  'a check of a link that was installed dangling reports no change',
  {
    files: { [`${CONFIG}/l`]: { link: '/none' } },
    config: config(entry('l', '/etc/l', { merge: true, preserve_properties: true })),
    runs: [{}, check],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.equal(ours.code, 0, ours.stderr);
  },
);

differs(
  'a check of a missing empty directory reports a change',
  {
    files: { [`${CONFIG}/d`]: { directory: true } },
    config: config(entry('d', '/etc/d', { perm: '0755' })),
    runs: [{}, { meanwhile: { 'etc/d': null }, ...check }],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 0);
    assert.equal(ours.code, 1, ours.stderr);
  },
);

differs(
  'a check before the first start reports a change',
  { files: A, config: plain, runs: [check] },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.equal(ours.code, 1);
    assert.deepEqual(differences(ours.before, ours.tree), []);
  },
);

differs(
  'a check with a missing directory reports a change',
  {
    files: { [`${CONFIG}/d/sub/x`]: 'x' },
    config: config(entry('d', '/etc/d', { perm: '0755' })),
    runs: [{}, { meanwhile: { 'etc/d': null }, ...check }],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.equal(ours.code, 1);
  },
);

differs(
  'a check of a file whose owner has no name reports a change',
  {
    files: {
      ...A,
      'etc/a.conf': { text: 'deployed', mode: 0o600, owner: 54321 },
      run_command: 'run',
      'etc/kolla/defaults/state': '{}',
    },
    config: plain,
    runs: [check],
  },
  ({ theirs, ours }) => {
    assert.equal(theirs.code, 2);
    assert.equal(ours.code, 1);
    assert.match(ours.stderr, /expected user: keystone, actual: 54321/);
  },
);
