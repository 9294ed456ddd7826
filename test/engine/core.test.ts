/** src/engine's replacements for `node:` modules, run by the engine itself and compared with Node's. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { must, run, start } from '../../tools/process.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { testServer } from '../net/http/server-cases.ts';
import { listenTcp } from '../support/server.ts';
import { assertRefusedOrSame, certificateOf, damaged, pemOf } from './certificates.ts';
import { results as aborts } from './on-engine/aborts.ts';
import { results as buffers } from './on-engine/buffers.ts';
import { hashOf } from './on-engine/hashes.ts';
import { refusals } from './on-engine/health.ts';
import { results as words } from './on-engine/words.ts';
import { SUBJECTS } from './subjects.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const directory = await privateDirectory('engine');
after(async () => await directory[Symbol.asyncDispose]());
const NAMES = ['aborts', 'buffers', 'executes', 'hashes', 'health', 'limits', 'uncaught', 'words'];
if (missing === undefined) await coreBinary(directory.path, NAMES, 'test/engine/on-engine');
const at = (name: string) => join(directory.path, 'core-bin', name);

test('Buffer behaves as in Node', { skip }, async () => {
  const ours = JSON.parse(await must(at('buffers'), [])) as Record<string, unknown>;
  for (const [name, wanted] of Object.entries(buffers())) assert.deepEqual(ours[name], wanted, name);
});

test('works with a stdout that the caller has closed', { skip }, async () => {
  const { code, stderr } = await run('sh', ['-c', 'exec "$0" >&-', at('buffers')]);
  assert.equal(code, 0, stderr);
});

test('parseArgs behaves as in Node', { skip }, async () => {
  assert.deepEqual(JSON.parse(await must(at('words'), [])), words());
});

test("subject hashes and digests match Node's, and damaged certificates are rejected", { skip }, async () => {
  const whole = Object.values(SUBJECTS).map((subject) => certificateOf({ subject }));
  const pems = whole.flatMap((der, i) => [pemOf(der), ...Array.from(damaged(der, 20, i), pemOf)]);
  const file = join(directory.path, 'certificates.json');
  await writeFile(file, JSON.stringify(pems));
  const ours = JSON.parse(await must(at('hashes'), [file])) as string[];
  const wanted = pems.map((pem) => (assertRefusedOrSame(pem) === undefined ? 'refused' : hashOf(pem)));
  assert.deepEqual(ours, wanted);
  assert.ok(wanted.includes('refused'));
});

test(
  'an error thrown by a timer reaches the listener; without a listener the process exits with code 70',
  { skip },
  async () => {
    const { code, stdout } = await run(at('uncaught'), ['listen']);
    assert.deepEqual([code, stdout], [41, 'caught a bug']);
    const unheard = await run(at('uncaught'), ['be silent']);
    assert.equal(unheard.code, 70);
    assert.match(unheard.stderr, /our bug, please report it: Error: a bug/);
  },
);

for (const [limit, said] of [
  ['rejection', /our bug, please report it: Error: a bug\n +at rejection \(limits\.js:/],
  ['memory', /our bug, please report it: InternalError: out of memory\n +at memory /],
  ['stack', /our bug, please report it: (?:Range|Internal)Error: .*stack.*\n +at deeper /],
] as const)
  test(`exits with code 70 and the location: ${limit}`, { skip }, async () => {
    const { code, stderr } = await run(at('limits'), [limit]);
    assert.equal(code, 70);
    assert.match(stderr, said);
  });

test('a signal that is queued when a program is to be executed ends the process', { skip }, async () => {
  const { code, stdout } = await run(at('executes'), []);
  assert.deepEqual({ code, stdout }, { code: 143, stdout: '' });
});

test('a rejection handled in the same tick is not reported', { skip }, async () => {
  const { code, stderr } = await run(at('limits'), ['rejection, handled later']);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('AbortSignal behaves as in Node, and a long-lived signal does not retain finished waits', { skip }, async () => {
  assert.deepEqual(JSON.parse(await must(at('aborts'), [])), aborts());
});

testServer(async () => {
  const running = await start(at('health'), [], { keepOutput: true, throwAway: true });
  const [said] = (await once(running.child.stdout!, 'data')) as [Buffer];
  return { port: Number(said.toString()), [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}, skip);

test('a server reports unavailable addresses as on Node, and releases its port', { skip }, async () => {
  await using other = await listenTcp(() => {});
  const said = JSON.parse(await must(at('health'), [String(other.port)])) as unknown;
  assert.deepEqual(said, await refusals(other.port));
});
