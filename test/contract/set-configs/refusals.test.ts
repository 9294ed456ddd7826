/** Errors in config.json: the message names the path and the problem, and not only an errno. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, one, paths } from './entries.ts';
import { byUs } from './ours.ts';
import { CONFIG, play } from './play.ts';

const image = { 'etc/passwd': 'keystone:x:42425:42425::/:/bin/sh\n', 'etc/group': 'keystone:x:42425:\n' };

for (const [what, config, message] of [
  [
    'a file as the parent',
    one({}, '/etc/passwd/a.conf'),
    /\/etc\/passwd\/a\.conf cannot be created: its parent does not exist or is not a directory/,
  ],
  ['an empty dest', one({}, ''), /config_files\[0\]\.dest: is empty: write an absolute path/],
  [
    'a directory in place of a file',
    paths('directories', { path: '/etc/passwd', owner: 'keystone', perm: '0755' }),
    /Can't create destination directory \(\/etc\/passwd\)/,
  ],
] as const) {
  test(`${what} is rejected with its own message`, async () => {
    const [ours] = await play({ name: what, files: { ...image, ...A }, config }, byUs);
    assert.notEqual(ours?.code, 0);
    assert.match(ours?.stderr ?? '', message);
  });
}

test('a missing config.json is rejected with its own message', async () => {
  const [ours] = await play({ name: 'none', files: image }, byUs);
  assert.match(
    ours?.stderr ?? '',
    new RegExp(`Could not read file /${CONFIG}/config.json: it does not exist; mount the configuration there`),
  );
});
