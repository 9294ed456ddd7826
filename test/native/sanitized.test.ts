/**
 * Runs kolla-core under the sanitizers of another compiler: its own suite, and its commands in the contract's suite.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../../tools/process.ts';
import { canCompileByGcc } from '../cluster/gcc.ts';
import { fileLimit } from '../support/file-limit.ts';
import { innerFailures } from '../support/inner-failures.ts';

fileLimit(60);

const ROOT = join(import.meta.dirname, '../..');
const skip = (await canCompileByGcc()) ?? false;

describe('under AddressSanitizer and UndefinedBehaviorSanitizer', { skip }, () => {
  for (const file of globSync(['test/native/contract.test.ts', 'test/{contract,engine}/**/core.test.ts'], {
    cwd: ROOT,
  }))
    test(file, async () => {
      // Removes the variable that makes a test file report to its parent runner.
      const env: NodeJS.ProcessEnv = { ...process.env, KOLLA_CORE_SANITIZED: '1', NODE_TEST_CONTEXT: undefined };
      const { code, stdout } = await run(process.execPath, [join(ROOT, file)], { env });
      assert.equal(code, 0, innerFailures(stdout));
      assert.match(stdout, /^ℹ skipped [01]$/m);
    });
});
