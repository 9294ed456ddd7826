import assert from 'node:assert/strict';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { run } from '../../tools/process.ts';

describe('Debian packages, unpacked', { skip: (await canUnpackDebian()) ?? false }, () => {
  test('come with what they depend on, down to libc, and run from where they lie', async () => {
    const directory = await unpackedPackages('hello-tried', ['hello']);
    assert.ok(existsSync(join(directory, 'usr/share/doc/libc6')));
    const { stdout } = await run(join(directory, 'usr/bin/hello'), [], { env: { LC_ALL: 'C' } });
    assert.equal(stdout, 'Hello, world!\n');
  });

  test('have one place for /lib and /usr/lib', async () => {
    const directory = await unpackedPackages('hello-tried', ['hello']);
    assert.ok(lstatSync(join(directory, 'lib')).isSymbolicLink());
    assert.equal(readlinkSync(join(directory, 'lib')), 'usr/lib');
  });

  test('come alone when asked', async () => {
    const directory = await unpackedPackages('hello-alone', ['hello'], { dependencies: false });
    assert.ok(existsSync(join(directory, 'usr/bin/hello')));
    assert.ok(!existsSync(join(directory, 'usr/share/doc/libc6')));
  });

  test('come without what the machine has already', async () => {
    const directory = await unpackedPackages('hello-without-libc', ['hello'], { except: ['libc6'] });
    assert.ok(existsSync(join(directory, 'usr/bin/hello')));
    assert.ok(!existsSync(join(directory, 'usr/share/doc/libc6')));
  });

  test('are refused by name when the release does not have them', async () => {
    await assert.rejects(unpackedPackages('none', ['no-such-package-at-all']), /no-such-package-at-all/);
  });
});
