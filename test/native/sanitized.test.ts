/** native/ by another compiler: what its analyzer says, and the whole suite of kolla-core under its sanitizers. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { test } from 'node:test';
import { run } from '../../tools/process.ts';
import { analyzed, canCompileByGcc } from '../cluster/gcc.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(40);

const ROOT = join(import.meta.dirname, '../..');
const skip = (await canCompileByGcc()) ?? false;

for (const file of globSync(join(ROOT, 'native/*.c')))
  test(`gcc's analyzer reports nothing for ${basename(file)}`, { skip }, async () => await analyzed(file, '/dev/null'));

for (const file of globSync(join(ROOT, 'test/{contract,engine}/**/core.test.ts')))
  test(`${relative(ROOT, file)} under AddressSanitizer and UndefinedBehaviorSanitizer`, { skip }, async () => {
    // Without the variable by which a runner tells its own files to speak to it.
    const env: NodeJS.ProcessEnv = { ...process.env, KOLLA_CORE_SANITIZED: '1', NODE_TEST_CONTEXT: undefined };
    const { code, stdout } = await run(process.execPath, ['--test', file], { env });
    assert.equal(code, 0, stdout.slice(-4000));
    assert.match(stdout, /^ℹ skipped [01]$/m);
  });
