import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';

test('a private directory is removed at the end, with its content', async () => {
  let path = '';
  {
    await using directory = await privateDirectory('test');
    ({ path } = directory);
    await writeFile(join(path, 'a'), 'a');
  }
  assert.ok(path !== '' && !existsSync(path));
});

test("a killed run's directory is removed by the next one, a living run's is not", async () => {
  const purpose = `test-${crypto.randomUUID().slice(0, 8)}`;
  await using living = await privateDirectory(purpose);
  const left = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { writeSync } from 'node:fs';
       import { privateDirectory } from ${JSON.stringify(import.meta.resolve('../../tools/directory.ts'))};
       writeSync(1, (await privateDirectory(${JSON.stringify(purpose)})).path);`,
    ],
    { encoding: 'utf8' },
  );
  assert.ok(existsSync(left));
  await using next = await privateDirectory(purpose);
  assert.ok(!existsSync(left));
  assert.ok(existsSync(living.path) && existsSync(next.path));
});
