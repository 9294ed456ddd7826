/** Checks the ELF headers and hardening flags of kolla-core. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { TARGETS, type Architecture } from '../../build/core/toolchain.ts';
import { buildCore } from '../../build/core/make.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canBuildCore } from '../cluster/core-binary.ts';

const skip = (await canBuildCore()) ?? false;
const directory = await privateDirectory('hardening');
after(async () => await directory[Symbol.asyncDispose]());

/** Constants of elf.h. */
const [ET_DYN, PT_INTERP, PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO] = [3, 3, 2, 0x6474e551, 0x6474e552];
const [DT_NEEDED, DT_FLAGS, DT_FLAGS_1, DF_BIND_NOW, DF_1_PIE, PF_X] = [1, 30, 0x6ffffffb, 8, 0x08000000, 1];

for (const architecture of Object.keys(TARGETS) as Architecture[]) {
  test(
    `kolla-core for ${architecture} is static, position-independent, and has no page that is writable and executable`,
    { skip },
    async () => {
      const { binary } = await buildCore(`${directory.path}/${architecture}`, architecture);
      const { type, segments, dynamic } = elf(await readFile(binary));
      assert.equal(type, ET_DYN, 'position-independent');
      assert.ok(!segments.has(PT_INTERP) && !dynamic.has(DT_NEEDED), 'static');
      assert.equal((segments.get(PT_GNU_STACK) ?? PF_X) & PF_X, 0, 'its stack does not run');
      assert.ok(segments.has(PT_GNU_RELRO), 'what the loader has filled in becomes read-only');
      assert.equal((dynamic.get(DT_FLAGS) ?? 0) & DF_BIND_NOW, DF_BIND_NOW, 'all of it, at once');
      assert.equal((dynamic.get(DT_FLAGS_1) ?? 0) & DF_1_PIE, DF_1_PIE);
    },
  );
}

test('functions have stack protection', { skip }, async () => {
  const { binary } = await buildCore(`${directory.path}/x64`, 'x64');
  // The instruction `movq %fs:0x28, REGISTER`: it reads the word that an overrun would change.
  const looks = (await readFile(binary)).toString('latin1').match(/\x64\x48\x8b.\x25\x28\0\0\0/gs) ?? [];
  assert.ok(looks.length > 50, String(looks.length));
});

/** @returns flags by type of segment, values by tag of the dynamic section; of a 64-bit little-endian file */
function elf(file: Buffer) {
  const at = (offset: number) => Number(file.readBigUInt64LE(offset));
  const segments = new Map<number, number>();
  const dynamic = new Map<number, number>();
  for (let i = 0; i < file.readUInt16LE(56); i++) {
    const header = at(32) + i * 56;
    const type = file.readUInt32LE(header);
    segments.set(type, file.readUInt32LE(header + 4));
    if (type !== PT_DYNAMIC) continue;
    const [start, length] = [at(header + 8), at(header + 32)];
    for (let entry = start; entry < start + length; entry += 16) dynamic.set(at(entry), at(entry + 8));
  }
  return { type: file.readUInt16LE(16), segments, dynamic };
}
