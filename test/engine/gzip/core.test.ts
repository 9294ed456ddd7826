/** gzip on kolla-core (libdeflate), compared with Node's zlib: real, joined, cut and damaged files. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { privateDirectory } from '../../../tools/directory.ts';
import { run } from '../../../tools/process.ts';
import { canBuildCore, coreBinary } from '../../cluster/core-binary.ts';
import { unpacked } from '../on-engine/gzips.ts';

const skip = (await canBuildCore()) ?? false;
const directory = await privateDirectory('gzip');
after(async () => await directory[Symbol.asyncDispose]());
if (!skip) await coreBinary(directory.path, ['gzips'], 'test/engine/on-engine');

const MOST_BYTES = 256;
/** As src/logship/read/listing.ts reads it. */
const START_BYTES = 73_728;

interface Results {
  readonly unpacked: readonly string[];
  readonly packed: readonly string[];
}

async function onCore(files: readonly Buffer[], mostBytes = MOST_BYTES): Promise<Results> {
  const file = join(directory.path, 'files.json');
  await writeFile(file, JSON.stringify(files.map((each) => each.toString('base64'))));
  const { code, stdout, stderr } = await run(join(directory.path, 'core-bin/gzips'), [file, String(mostBytes)]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Results;
}

const lines = (count: number) =>
  Buffer.from(
    Array.from(
      { length: count },
      (_, n) => `2026-11-29 05:30:00.${n} 7 INFO nova.api [req-${n * 7919}] GET /v2.1\n`,
    ).join(''),
  );

/** A header with the file's name, as of gzip(1). */
function named(packed: Buffer, name: string): Buffer {
  const header = Buffer.from(packed.subarray(0, 10));
  header[3] = 8;
  return Buffer.concat([header, Buffer.from(`${name}\0`), packed.subarray(10)]);
}

const FILES: Readonly<Record<string, Buffer>> = {
  'a log': gzipSync(lines(20_000)),
  'a short log': gzipSync(lines(2)),
  nothing: gzipSync(Buffer.alloc(0)),
  'exactly as much': gzipSync(Buffer.alloc(MOST_BYTES, 'x')),
  'joined files': Buffer.concat([gzipSync(Buffer.from('one\n')), gzipSync(Buffer.from('two\n'))]),
  'what cannot be packed': gzipSync(randomBytes(200_000)),
  'stored blocks': gzipSync(lines(20_000), { level: 0 }),
  'a name in the header': named(gzipSync(lines(100)), 'nova-api.log'),
  'a thousandfold': gzipSync(Buffer.alloc(64 * 2 ** 20)),
  'a file and other bytes': Buffer.concat([gzipSync(Buffer.from('one\n')), Buffer.alloc(100)]),
  'no gzip': lines(5),
};

for (const [what, file] of Object.entries(FILES))
  test(`the start is unpacked as on Node: ${what}`, { skip }, async () => {
    const start = file.subarray(0, START_BYTES);
    const [wanted] = unpacked([start.toString('base64')], MOST_BYTES);
    assert.deepEqual((await onCore([start])).unpacked, [wanted]);
  });

test('what is packed is unpacked by Node', { skip }, async () => {
  const contents = [
    Buffer.alloc(0),
    Buffer.from('x'),
    lines(1),
    lines(5000),
    randomBytes(100_000),
    Buffer.alloc(2 ** 20),
  ];
  const { packed } = await onCore(contents);
  assert.deepEqual(
    packed.map((each) => gunzipSync(Buffer.from(each, 'base64'))),
    contents,
  );
});

test('of cut and damaged files nothing else is unpacked than on Node, or nothing', { skip }, async () => {
  const whole = gzipSync(lines(2000));
  const small = gzipSync(lines(2));
  const cut = Array.from({ length: 60 }, (_, n) => whole.subarray(0, n * 7));
  const damaged = [whole, small].flatMap((file) =>
    Array.from({ length: 150 }, (_, n) => {
      const copy = Buffer.from(file);
      // The block's header in particular, and the rest all over.
      const at = n < 75 ? n % copy.length : Math.floor((n * copy.length) / 150);
      copy[at] = copy[at]! ^ (n % 2 === 0 ? 0x01 : 0xf8);
      return copy;
    }),
  );
  const random = Array.from({ length: 50 }, (_, n) => Buffer.concat([whole.subarray(0, 10), randomBytes(n * 5)]));
  const all = [...cut, ...damaged, ...random];
  const ours = (await onCore(all)).unpacked;
  const nodes = unpacked(
    all.map((each) => each.toString('base64')),
    MOST_BYTES,
  );
  const judged = ours.map((one, i) =>
    one === 'refused' || one === nodes[i] ? 'right' : `${i}: ${one}, not ${nodes[i]}`,
  );
  assert.deepEqual(new Set(judged), new Set(['right']));
  assert.ok(ours.filter((one) => one !== 'refused').length > 50);
});
