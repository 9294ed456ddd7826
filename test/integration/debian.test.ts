import assert from 'node:assert/strict';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { suitePrograms } from '../../tools/debian-programs.ts';
import { must, run } from '../../tools/process.ts';

describe('Debian packages, unpacked', { skip: (await canUnpackDebian()) ?? false }, () => {
  test('include their dependencies down to libc, and run from any directory', async () => {
    const directory = await unpackedPackages('hello-tried', ['hello']);
    assert.ok(existsSync(join(directory, 'usr/share/doc/libc6')));
    const { stdout } = await run(join(directory, 'usr/bin/hello'), [], { env: { LC_ALL: 'C' } });
    assert.equal(stdout, 'Hello, world!\n');
  });

  test('merge /lib and /usr/lib', async () => {
    const directory = await unpackedPackages('hello-tried', ['hello']);
    assert.ok(lstatSync(join(directory, 'lib')).isSymbolicLink());
    assert.equal(readlinkSync(join(directory, 'lib')), 'usr/lib');
  });

  test('come without dependencies on request', async () => {
    const directory = await unpackedPackages('hello-alone', ['hello'], { dependencies: false });
    assert.ok(existsSync(join(directory, 'usr/bin/hello')));
    assert.ok(!existsSync(join(directory, 'usr/share/doc/libc6')));
  });

  test('leave out packages installed on the machine', async () => {
    const directory = await unpackedPackages('hello-without-libc', ['hello'], { except: ['libc6'] });
    assert.ok(existsSync(join(directory, 'usr/bin/hello')));
    assert.ok(!existsSync(join(directory, 'usr/share/doc/libc6')));
  });

  test('are reported by name if the release does not have them', async () => {
    await assert.rejects(unpackedPackages('none', ['no-such-package-at-all']), /no-such-package-at-all/);
  });

  test("of another suite run here on that suite's libc, and so do their own libraries", async () => {
    const directory = await suitePrograms('bash-tried', ['bash'], 'trixie');
    const printed = 'while read -r line; do echo "$line"; done </proc/$$/maps';
    const maps = await must(join(directory, 'usr/bin/bash'), ['-c', printed]);
    const libraries = maps.match(/\/\S+\.so(?:\.\d+)*/g) ?? [];
    assert.ok(
      libraries.some((path) => path.endsWith('/libc.so.6')),
      maps,
    );
    for (const path of libraries) assert.match(path, /bash-tried/);
  });

  test('are taken from the newest of the same minor if the pinned version is gone', async () => {
    const directory = await unpackedPackages('hello-pinned', ['hello=2.10-1'], {
      suite: 'trixie',
      dependencies: false,
    });
    assert.ok(existsSync(join(directory, 'usr/bin/hello')));
    await assert.rejects(unpackedPackages('hello-gone', ['hello=2.9-1'], { suite: 'trixie' }), /and no 2\.9 any more/);
  });
});
