import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HERE, onTarget, type Target } from '../../build/base.ts';
import { checkBinary } from '../../build/check.ts';
import { targetFor } from '../../build/images/arm64.ts';
import { buildBinary } from '../../build/make.ts';
import { VERSION } from '../../src/core/version.ts';
import { messageOf } from '../../src/core/errors.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { goProgram } from '../../tools/go-program.ts';
import { must, run } from '../../tools/process.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(45);

const GO = fileURLToPath(new URL('../cluster/kubernetes/go/', import.meta.url));
/** All commands take minutes under qemu-user; these are enough. kolla-core executes kolla-pod for the help of kolla-init. */
const NAMES = ['kolla-pod', 'healthcheck_port', 'kolla-init'];
const ELF_MACHINE = { at: 18, arm64: 183 };
/** A small program; Helm, for the operator's image, is built in the same way in minutes. */
const TESTBOX = { name: 'testbox', directory: GO, sources: ['testbox'], flags: [], room: 0 };

let target: Target = HERE;
let skip: string | undefined;
try {
  target = await targetFor('arm64');
} catch (error) {
  skip = `a binary for arm64 can't be built here: ${messageOf(error)}`;
}

describe('the binary for arm64', { skip }, () => {
  test('two builds yield the same stripped file, which runs and accepts its code caches', async () => {
    await using directory = await privateDirectory('arm64');
    const sums: string[] = [];
    for (const place of ['one', 'another/place']) {
      const built = await buildBinary(join(directory.path, place), () => {}, NAMES, target);
      const { binary, base } = built;
      assert.equal(base.notStripped, undefined);
      if (sums.length === 0) await checkBinary(built);
      const bytes = await readFile(binary);
      assert.equal(bytes.readUInt16LE(ELF_MACHINE.at), ELF_MACHINE.arm64);
      sums.push(createHash('sha256').update(bytes).digest('hex'));
    }
    assert.equal(sums[0], sums[1]);
    const probe = join(directory.path, 'one/bin/healthcheck_port');
    assert.equal(await must(...onTarget(target, probe, ['--version'])), `healthcheck_port ${VERSION} (kolla-core)\n`);
  });

  test('a Go program is built for arm64, next to the one for this machine', async () => {
    const program = await goProgram({ ...TESTBOX, architecture: 'arm64' });
    assert.equal((await readFile(program)).readUInt16LE(ELF_MACHINE.at), ELF_MACHINE.arm64);
    assert.equal((await run(...onTarget(target, program, ['exit', '7']))).code, 7);
    assert.equal((await run(await goProgram(TESTBOX), ['exit', '7'])).code, 7);
  });
});
