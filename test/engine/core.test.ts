/** src/engine's replacements for `node:` modules, run by the engine itself and compared with Node's. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { must, run, start } from '../../tools/process.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { testServer } from '../net/http/server-cases.ts';
import { listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { assertRefusedOrSame, certificateOf, damaged, pemOf } from './certificates.ts';
import { results as aborts } from './on-engine/aborts.ts';
import { results as buffers } from './on-engine/buffers.ts';
import { results as digests } from './on-engine/digests.ts';
import { hashOf } from './on-engine/hashes.ts';
import { refusals } from './on-engine/health.ts';
import { results as syncs } from './on-engine/syncs.ts';
import { results as watches } from './on-engine/watches.ts';
import { results as words } from './on-engine/words.ts';
import { SUBJECTS } from './subjects.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const directory = await privateDirectory('engine');
after(async () => await directory[Symbol.asyncDispose]());
const NAMES = [
  'aborts',
  'buffers',
  'digests',
  'executes',
  'hashes',
  'health',
  'limits',
  'records',
  'syncs',
  'uncaught',
  'watches',
  'words',
];
if (missing === undefined) await coreBinary(directory.path, NAMES, 'test/engine/on-engine');
const at = (name: string) => join(directory.path, 'core-bin', name);

test('Buffer behaves as in Node', { skip }, async () => {
  const ours = JSON.parse(await must(at('buffers'), [])) as Record<string, unknown>;
  for (const [name, wanted] of Object.entries(buffers())) assert.deepEqual(ours[name], wanted, name);
});

test('SHA-256 of pieces is as in Node, for any length', { skip }, async () => {
  assert.deepEqual(JSON.parse(await must(at('digests'), [])), digests());
});

test('a sync lets other work go on, and rejects as in Node', { skip }, async () => {
  await using place = await privateDirectory('syncs');
  const file = join(place.path, 'file');
  const ours = JSON.parse(await must(at('syncs'), [file])) as Awaited<ReturnType<typeof syncs>>;
  assert.deepEqual(ours, await syncs(file));
  assert.deepEqual(ours, {
    ended: ['other work', 'a sync', 'a sync'],
    code: 'EINVAL',
    message: 'EINVAL: invalid argument, fsync',
  });
});

test('fs.watch reports what it does in Node', { skip }, async () => {
  await using ours = await privateDirectory('watches');
  await using nodes = await privateDirectory('watches');
  assert.deepEqual(JSON.parse(await must(at('watches'), [ours.path])), await watches(nodes.path));
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
  ['memory, to the last byte', /our bug, please report it: InternalError: out of memory\n/],
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

/** How many bytes the kernel holds for the connection with this port of 127.0.0.1. */
function unreadAt(port: number): number {
  const own = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const row = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((line) => line.trim().split(/\s+/)[1] === own);
  const [, , , , queues = ''] = row?.trim().split(/\s+/) ?? [];
  return Number.parseInt(queues.split(':')[1] ?? '0', 16);
}

test('the end of a TLS record that one read does not take is read too', { skip, timeout: 60_000 }, async () => {
  const authority = makeAuthority('records');
  const { certificate, key } = authority.issue({ commonName: 'records', hosts: ['127.0.0.1'] });
  const [ca, file] = ['records.crt', 'records-sent'].map((name) => join(directory.path, name));
  await writeFile(ca!, authority.certificate);
  // Each write is a record. A read takes 65,536 bytes, so that it ends within the last one.
  const [records, bytes] = [5, 15_000];
  const send = async (socket: TLSSocket) => {
    await once(socket, 'data');
    for (let n = 0; n < records; n++) await new Promise((resolve) => socket.write(Buffer.alloc(bytes), resolve));
    await until('all to have arrived', async () => unreadAt(socket.remotePort!) > records * bytes || undefined);
    await writeFile(file!, '');
  };
  const server = createServer({ cert: certificate, key }, (socket) => void send(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const args = [String(port), ca!, file!, String(records * bytes)];
    assert.equal(await must(at('records'), args), String(records * bytes));
  } finally {
    server.close();
  }
});
