/** `--memory` of kolla-log-ship in kolla-core: its anonymous memory in an outage, with documents that wait, and thousands of files. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { startBulkSink, type BulkFaults, type BulkSink, type BulkSinkOptions } from '../support/bulk-sink.ts';
import { fileLimit } from '../support/file-limit.ts';
import { writeLogLines } from '../support/log-lines.ts';
import { until } from '../support/until.ts';
import { inMemory, privateDirectory, type Directory } from '../../tools/directory.ts';
import { must, start, type Running } from '../../tools/process.ts';

fileLimit(15);

const skip = (await canBuildCore()) ?? false;
const MIB = 1024 * 1024;
const LINES = 120_000;
/** Requests with each fault. Without a bound, 80 of which nearly all documents are refused leave more than 16 MiB to wait. */
const REQUESTS = { outage: 5, refused: 80 } as const;
let directory: Directory;
let binary: string;

before(async () => {
  if (skip !== false) return;
  directory = await privateDirectory('log-memory', inMemory());
  await coreBinary(directory.path, ['kolla-log-ship']);
  binary = join(directory.path, 'core-bin/kolla-log-ship');
});
after(async () => await directory?.[Symbol.asyncDispose]());

const memoryOf = ({ pid }: Running, what: 'RssAnon' | 'VmHWM') =>
  Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** For a person. */
const inWords = (most: readonly number[]) =>
  `at most ${most.map((bytes) => (bytes / MIB).toFixed(1)).join(', ')} MiB with each fault, and without`;

interface Used {
  /** With each of the faults, and without. */
  readonly most: readonly number[];
  /** Of all memory, from the start to the end. */
  readonly peak: number;
}

interface Site extends AsyncDisposable {
  readonly sink: BulkSink;
  /** Ships until all documents have arrived. */
  ship(memory: number, documents: number, faults: readonly BulkFaults[], more?: readonly string[]): Promise<Used>;
}

async function site(root: string, options: BulkSinkOptions = {}): Promise<Site> {
  const sink = await startBulkSink(options);
  const ship: Site['ship'] = async (memory, documents, faults, more = []) => {
    await sink.set(faults[0] ?? {});
    const to = ['--url', sink.url, '--root', root, '--state', join(root, '../state'), '--memory', String(memory)];
    await using running = await start(binary, [...to, '--timezone', 'UTC', ...more], { keepOutput: true });
    const most: number[] = [];
    for (const [nth, fault] of [...faults, {}].entries()) {
      await sink.set(fault);
      const begun = (await sink.counts()).requests;
      const isLast = nth === faults.length;
      await until(isLast ? `${documents} documents` : `requests with ${JSON.stringify(fault)}`, async (saw) => {
        most[nth] = Math.max(most[nth] ?? 0, memoryOf(running, 'RssAnon'));
        const counts = await sink.counts();
        saw(counts);
        return (
          (isLast
            ? counts.documents >= documents
            : counts.requests >= begun + (fault.p429 === undefined ? REQUESTS.outage : REQUESTS.refused)) || undefined
        );
      });
    }
    const peak = memoryOf(running, 'VmHWM');
    assert.equal(await running.stop(), 0);
    return { most, peak };
  };
  return { sink, ship, [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose]() };
}

for (const memory of [16 * MIB, 32 * MIB])
  test(`${memory / MIB} MiB in an outage, with documents that wait, and while all is sent`, { skip }, async (t) => {
    await using logs = await privateDirectory('memory');
    const root = join(logs.path, 'logs');
    mkdirSync(join(root, 'nova'), { recursive: true });
    writeLogLines(join(root, 'nova/nova-compute.log'), { events: LINES, tracebackEvery: 20 });
    await using shipping = await site(root);
    const { most } = await shipping.ship(memory, LINES, [{ status: 503 }, { p429: 0.97 }]);
    t.diagnostic(inWords(most));
    assert.ok(Math.max(...most) <= memory, inWords(most));
    const { missing, doubled } = await shipping.sink.numbers(LINES);
    assert.deepEqual([missing, doubled], [[], []]);
  });

test('32 MiB with 3,000 files, in an outage and while all is sent', { skip }, async (t) => {
  await using logs = await privateDirectory('memory');
  const root = join(logs.path, 'logs');
  let seq = 0;
  for (let service = 0; service < 30; service++) {
    mkdirSync(join(root, `service-${service}`), { recursive: true });
    for (let file = 0; file < 100; file++) {
      const line = (nth: number) => `2026-11-20 08:15:42.${100 + nth} 7 INFO nova.compute [-] line seq=${seq++}\n`;
      writeFileSync(join(root, `service-${service}/nova-${file}.log`), [0, 1, 2].map(line).join(''));
    }
  }
  await using shipping = await site(root);
  const { most } = await shipping.ship(32 * MIB, seq, [{ status: 503 }]);
  t.diagnostic(inWords(most));
  assert.ok(Math.max(...most) <= 32 * MIB, inWords(most));
  const { missing, doubled } = await shipping.sink.numbers(seq);
  assert.deepEqual([missing, doubled], [[], []]);
});

test('16 MiB with all the letters of earlier runs that the default limit allows', { skip }, async (t) => {
  await using logs = await privateDirectory('memory');
  const [root, state] = [join(logs.path, 'logs'), join(logs.path, 'state')];
  for (const path of [join(root, 'nova'), state]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const document = `"document":{"Payload":"${'x'.repeat(300)}"}`;
  const letter = (nth: number) =>
    `{"reason":"no","index":"flog","id":"${String(nth).padStart(28, '0')}",${document}}\n`;
  const count = Math.floor((32 * MIB) / letter(0).length);
  const [older, file] = ['dead-letter.jsonl.1', 'dead-letter.jsonl'].map((name) => join(state, name)) as [
    string,
    string,
  ];
  for (const [nth, path] of [older, file].entries())
    writeFileSync(path, Array.from({ length: count }, (_, at) => letter(nth * count + at)).join(''));
  writeFileSync(join(root, 'nova/nova-compute.log'), '2026-11-20 08:15:42.123 7 INFO nova [-] poison\n');
  await using sink = await startBulkSink();
  await sink.set({ poison: 'poison' });
  const args = ['--url', sink.url, '--root', root, '--state', state, '--memory', String(16 * MIB), '--timezone', 'UTC'];
  await using running = await start(binary, args);
  // The files are full, so that the letters of the older one are counted and overwritten.
  await until('a letter in a new file', () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return (size > 0 && size < MIB) || undefined;
  });
  const peak = memoryOf(running, 'VmHWM');
  t.diagnostic(`peak ${(peak / MIB).toFixed(1)} MiB`);
  assert.ok(peak < 16 * MIB, `${peak} bytes`);
  assert.equal(await running.stop(), 0);
  const written = readFileSync(file, 'utf8');
  // As after a crash before the checkpoint.
  for (const name of readdirSync(state)) if (name.startsWith('checkpoint')) rmSync(join(state, name));
  await must(binary, [...args, '--once']);
  assert.equal((await sink.counts()).rejected400, 2);
  assert.equal(readFileSync(file, 'utf8'), written);
});

/** A line, and the file of it: in those of gnocchi each line stands alone. Lines that end in NULs are taken one by one. */
const TINY = {
  '1 MiB of newlines': { line: '\n', bytes: MIB, file: 'nova/nova-compute.log', options: ['--schema', 'raw'] },
  '1 MiB of one-character lines': { line: 'x\n', bytes: MIB, file: 'gnocchi/gnocchi-metricd.log', options: [] },
  '256 KiB of characters and NULs': { line: 'x\0', bytes: MIB / 4, file: 'gnocchi/gnocchi-metricd.log', options: [] },
};

for (const [what, { line, bytes, file, options }] of Object.entries(TINY))
  for (const faults of [[], [{ status: 503 }]] as const)
    test(`${what}, ${faults.length === 0 ? 'at once' : 'after an outage'}`, { skip }, async (t) => {
      await using logs = await privateDirectory('memory');
      const root = join(logs.path, 'logs');
      mkdirSync(join(root, file, '..'), { recursive: true });
      writeFileSync(join(root, file), Buffer.alloc(bytes, line));
      await using shipping = await site(root, { fast: true });
      const documents = bytes / line.length;
      const { most, peak } = await shipping.ship(32 * MIB, documents, faults, options);
      t.diagnostic(`${inWords(most)}; peak ${(peak / MIB).toFixed(1)} MiB`);
      assert.ok(peak < 20 * MIB, `${peak} bytes`);
      assert.equal((await shipping.sink.counts()).documents, documents);
    });
