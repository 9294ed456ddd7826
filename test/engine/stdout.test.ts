/** The log shipper's sink for stdout, on both engines. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';

const skip = (await canBuildCore()) ?? false;
const directory = await privateDirectory('stdout');
after(async () => await directory[Symbol.asyncDispose]());
if (!skip) await coreBinary(directory.path, ['prints'], 'test/engine/on-engine');

const FILE = join(import.meta.dirname, 'on-engine/prints.ts');
const ON_NODE = `import(${JSON.stringify(FILE)}).then(async ({ main }) => { process.exit(await main(process.argv.slice(1))); })`;
const ENGINES = {
  Node: { command: process.execPath, words: ['-e', ON_NODE], skip: false as const },
  'kolla-core': { command: join(directory.path, 'core-bin/prints'), words: [], skip },
};
const BYTES = 2 ** 20;

for (const [engine, { command, words, skip: isSkipped }] of Object.entries(ENGINES)) {
  const started = (count: number) => {
    const child = spawn(command, [...words, String(count)], { stdio: ['ignore', 'pipe', 'pipe'] });
    return { child, stderr: text(child.stderr), closed: once(child, 'close') };
  };

  test(`${engine}: a reader gets all bytes in order`, { skip: isSkipped }, async () => {
    const { child, stderr } = started(3);
    const wanted = ['a', 'b', 'c'].map((letter) => `${letter.repeat(BYTES - 1)}\n`).join('');
    const found = await buffer(child.stdout);
    assert.ok(found.equals(Buffer.from(wanted)), `${found.length} bytes`);
    assert.equal(await stderr, 'sent 1\nsent 2\nsent 3\n');
  });

  test(
    `${engine}: a reader that has stopped holds it back, and does not keep it from ending`,
    { skip: isSkipped },
    async () => {
      const { child, stderr, closed } = started(3);
      await once(child.stdout, 'readable');
      child.kill('SIGTERM');
      assert.equal(await stderr, 'Error: stopped\n');
      child.stdout.resume();
      assert.deepEqual((await closed)[0], 3);
    },
  );

  test(`${engine}: a closed reader is an error`, { skip: isSkipped }, async () => {
    const { child, stderr, closed } = started(3);
    await once(child.stdout, 'readable');
    child.stdout.destroy();
    assert.match(await stderr, /^UnavailableError: cannot write to stdout: .*EPIPE/m);
    assert.deepEqual((await closed)[0], 3);
  });
}
