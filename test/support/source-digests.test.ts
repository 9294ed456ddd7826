import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../tools/process.ts';
import { digestOf, digestsInEnv } from './source-digests.ts';

/** The digest of the helpers that a test file's process has with these variables. */
async function digestWith(env: NodeJS.ProcessEnv): Promise<string> {
  const script = `import { digestOf } from './source-digests.ts'; console.log(digestOf('helpers'))`;
  const words = ['--input-type=module', '--eval', script];
  return (await must(process.execPath, words, { env, cwd: import.meta.dirname })).trim();
}

test('a run passes its digests of the sources to its test files', async () => {
  const [[name, value] = ['', '']] = Object.entries(digestsInEnv());
  const given = value.replace(digestOf('helpers'), 'of-the-run');
  assert.equal(await digestWith({ [name]: given }), 'of-the-run');
  assert.equal(await digestWith({ [name]: `/another${given}` }), await digestWith({}), 'of another repository');
});
