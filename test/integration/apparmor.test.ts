import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { run } from '../../tools/process.ts';

const PROFILE = fileURLToPath(new URL('../../k8s/security/apparmor-helpers', import.meta.url));
const skip = (await canUnpackDebian()) ?? false;

/** Compiles a profile. Only loading one needs a kernel with AppArmor. */
async function compile(input?: string): Promise<{ code: number; stderr: string }> {
  const root = await unpackedPackages('apparmor', ['apparmor'], { dependencies: false });
  const args = ['--skip-kernel-load', '--skip-cache', '--base', join(root, 'etc/apparmor.d')];
  return await run(join(root, 'usr/sbin/apparmor_parser'), input === undefined ? [...args, PROFILE] : args, {
    ...(input !== undefined && { input }),
  });
}

test("AppArmor's own parser compiles the AppArmor profile", { skip }, async () => {
  const { code, stderr } = await compile();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /error/i);
  assert.equal((await compile('profile x { no such rule, }\n')).code, 1);
});
