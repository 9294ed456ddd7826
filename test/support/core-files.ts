import assert from 'node:assert/strict';
import { join } from 'node:path';
import { run } from '../../tools/process.ts';
import { innerFailures } from './inner-failures.ts';

/**
 * Runs a test file, which by itself tests our functions or kolla-pod, with the commands of kolla-core.
 * @param file from test/, without `.test.ts`
 * @param how `alone`: without a kolla-pod that could take over
 * @param skipped how many of its tests may be skipped
 */
export async function passesOnCore(file: string, how: '1' | 'alone', skipped = 0): Promise<void> {
  // Removes the variable that makes a test file report to its parent runner.
  const env: NodeJS.ProcessEnv = { ...process.env, KOLLA_ON_CORE: how, NODE_TEST_CONTEXT: undefined };
  const { code, stdout } = await run(process.execPath, [join(import.meta.dirname, '..', `${file}.test.ts`)], { env });
  assert.equal(code, 0, innerFailures(stdout));
  assert.match(stdout, new RegExp(`^ℹ skipped ${skipped}$`, 'm'));
}
