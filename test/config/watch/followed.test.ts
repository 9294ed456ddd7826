import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDocument, type Document } from '../../../src/config/read/schema.ts';
import { fingerprintOf } from '../../../src/config/watch/fingerprint.ts';
import { followedPaths } from '../../../src/config/watch/followed.ts';
import { privateDirectory } from '../../../tools/directory.ts';

function withSources(...sources: string[]): Document {
  const files = sources.map((source) => ({ source, dest: '/etc/x/', owner: 'a', perm: '0600' }));
  return parseDocument({ command: 'true', config_files: files }) as Document;
}

const place = { configDir: '/config', configFile: undefined };

test('watches the config directory, external sources, and the base directory of patterns', () => {
  const document = withSources(
    '/var/lib/kolla/config_files/a.conf',
    '/extra/b.conf',
    '/many/*/c.conf',
    '/tree/',
    '/tree/deeper/d.conf',
  );
  assert.deepEqual(followedPaths(document, place), ['/config', '/extra/b.conf', '/many', '/tree']);
});

test('an external config.json is watched too, and an internal one not twice', () => {
  assert.deepEqual(followedPaths(undefined, { ...place, configFile: '/other/config.json' }), [
    '/config',
    '/other/config.json',
  ]);
  assert.deepEqual(followedPaths(undefined, { ...place, configFile: '/config/config.json' }), ['/config']);
});

test('a fingerprint covers content, modes, names and absence, and is stable', async () => {
  await using directory = await privateDirectory('fingerprint');
  const path = join(directory.path, 'config');
  const seen = [fingerprintOf([path])];
  const look = async () => {
    const now = fingerprintOf([path]);
    assert.ok(!seen.includes(now), `fingerprint ${seen.length} equals an earlier one`);
    assert.equal(fingerprintOf([path]), now);
    seen.push(now);
  };
  await mkdir(join(path, 'sub'), { recursive: true });
  await look();
  await writeFile(join(path, 'a'), 'xy');
  await look();
  await writeFile(join(path, 'a'), 'x');
  await writeFile(join(path, 'b'), 'y');
  await look();
  await chmod(join(path, 'a'), 0o600);
  await look();
  await symlink('nowhere', join(path, 'c'));
  await look();
});

test("the kubelet's own names are ignored, their targets are not", async () => {
  await using directory = await privateDirectory('fingerprint');
  const file = async (version: string, text: string) => {
    await mkdir(join(directory.path, version));
    await writeFile(join(directory.path, version, 'a'), text);
  };
  await file('..one', 'x');
  await symlink('..one', join(directory.path, '..data'));
  await symlink('..data/a', join(directory.path, 'a'));
  const before = fingerprintOf([directory.path]);
  await file('..two', 'not there yet');
  assert.equal(fingerprintOf([directory.path]), before);
  await writeFile(join(directory.path, '..one/a'), 'y');
  assert.notEqual(fingerprintOf([directory.path]), before);
});
