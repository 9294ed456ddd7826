/** Lines in bulk become the documents that they become one by one, wherever reads, requests and line lengths divide them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom, oneOf } from '../../support/random.ts';
import { assertSame, shipped } from './compared.ts';
import { hostileLog } from './hostile-log.ts';

for (const schema of ['kolla', 'ecs', 'raw'] as const)
  for (const zone of ['UTC', 'Europe/Berlin'])
    test(`${schema}, ${zone}: hostile lines of oslo.log`, async () => {
      const { documents, inBulk } = await assertSame(hostileLog(5000, 7), { format: 'oslo', schema, zone }, 1e9);
      assert.ok(inBulk > documents.size / 20, `${inBulk} of ${documents.size}`);
    });

/** Bytes between two reads: reads then end within a character, a time or a context, or contain one or a few lines. */
const SIZES = [1, 2, 17, 64, 151, 300, 4000];

for (const format of ['oslo', 'whole', 'uwsgi', 'mariadb'] as const)
  test(`${format}: hostile lines, when a few bytes separate two reads`, async () => {
    const log = hostileLog(format === 'oslo' ? 24 : 60, 3);
    const single = await shipped(log, { format, isBulk: false }, log.length);
    for (const size of SIZES) await assertSame(log, { format }, size, single);
  });

test('requests of any size: a document that fits none is sent by itself', async () => {
  const log = hostileLog(800, 11);
  const single = await shipped(log, { format: 'oslo', isBulk: false }, log.length);
  for (const mostBytes of [1, 600, 5000, 40_000])
    await assertSame(log, { format: 'oslo', mostBytes }, log.length, single);
});

test('lines longer than the limit are cut, between others', async () => {
  const random = randomFrom(5);
  const line = () =>
    `2026-11-20 08:15:42.${100 + Math.floor(random() * 900)} 7 INFO nova [-] ${oneOf(random, ['é', 'x']).repeat(random() * 300)}\n`;
  const log = Buffer.from(Array.from({ length: 500 }, line).join(''));
  for (const maxLineBytes of [60, 200]) await assertSame(log, { format: 'oslo', maxLineBytes }, 5000);
});

/** Eight workers, a third of whose lines are of tracebacks that interleave. */
function workers(lines: number, seed: number): Buffer {
  const random = randomFrom(seed);
  const number = (below: number) => Math.floor(random() * below);
  return Buffer.from(
    Array.from({ length: lines }, (_, nth) => {
      const head = `2026-11-20 08:15:4${number(2)}.10${number(2)} ${number(8)} ERROR nova`;
      return `${oneOf(random, [`${head} [-] Failed`, `${head}   File`, 'bare', `${head} [None req-1 - - - - - -] x`])} #${nth}\n`;
    }).join(''),
  );
}

test('workers that interleave: events open before, in and after a read', async () => {
  const log = workers(6000, 3);
  const single = await shipped(log, { format: 'oslo', isBulk: false }, log.length);
  for (const size of [100, 1000, 30_000, log.length]) await assertSame(log, { format: 'oslo' }, size, single);
  assert.ok(single.documents.size > 1000);
  // A full request leaves the open events with the table.
  const { inBulk, documents } = await assertSame(log, { format: 'oslo', mostBytes: 5000 }, log.length, single);
  assert.ok(inBulk > documents.size * 0.95, `${inBulk} of ${documents.size}`);
});

test('an event of 300 processes at once, and lines further apart than an event reaches', async () => {
  const record = (pid: number, text: string) => `2026-11-20 08:15:42.123 ${pid} ERROR nova ${text}\n`;
  const many = Array.from({ length: 300 }, (_, pid) => record(pid, '[-] a')).join('');
  const more = Array.from({ length: 300 }, (_, pid) => record(299 - pid, 'Traceback')).join('');
  const far = Array.from({ length: 700 }, (_, nth) => record(1000, `[-] ${'x'.repeat(80)} ${nth}`)).join('');
  await assertSame(Buffer.from(many + more + far + more + many), { format: 'oslo' }, 1e9);
});

/** Lines of one byte, which become documents of hundreds of bytes; those that NULs end are taken one by one. */
const TINY = {
  newlines: Buffer.alloc(20_000, '\n'),
  characters: Buffer.from('x\n'.repeat(10_000)),
  NULs: Buffer.from('x\0'.repeat(5000) + 'x\n'.repeat(5000)),
};

for (const [what, log] of Object.entries(TINY))
  test(`${what}: a read fills one request when there is room for one, and the next read goes on there`, async () => {
    for (const format of ['whole', 'json', 'oslo'] as const)
      for (const mostBytes of [4000, 100_000]) {
        const mode = { format, mostBytes, isTight: true };
        const { most } = await assertSame(log, mode, log.length);
        assert.ok(most <= 2, `${format}, ${mostBytes}: ${most} requests`);
      }
  });

test('without room after each request, hostile lines of any format are taken once', async () => {
  for (const format of ['oslo', 'whole', 'uwsgi', 'mariadb'] as const) {
    const log = hostileLog(1500, 13);
    const single = await shipped(log, { format, isBulk: false }, log.length);
    for (const mostBytes of [600, 5000, 40_000])
      for (const piece of [700, log.length]) await assertSame(log, { format, mostBytes, isTight: true }, piece, single);
  }
});
