/** `--memory` of kolla-log-ship in kolla-core: its anonymous memory in an outage, with documents that wait, and thousands of files. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { startBulkSink, type BulkFaults, type BulkSink } from '../support/bulk-sink.ts';
import { fileLimit } from '../support/file-limit.ts';
import { writeLogLines } from '../support/log-lines.ts';
import { until } from '../support/until.ts';
import { inMemory, privateDirectory, type Directory } from '../../tools/directory.ts';
import { start, type Running } from '../../tools/process.ts';

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

const anonymous = ({ pid }: Running) =>
  Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** For a person. */
const inWords = (most: readonly number[]) =>
  `at most ${most.map((bytes) => (bytes / MIB).toFixed(1)).join(', ')} MiB with each fault, and without`;

interface Site extends AsyncDisposable {
  readonly sink: BulkSink;
  /** Maximum anonymous memory until all documents have arrived, and what it was with each of the faults. */
  ship(memory: number, documents: number, faults: readonly BulkFaults[]): Promise<readonly number[]>;
}

async function site(root: string): Promise<Site> {
  const sink = await startBulkSink();
  const ship: Site['ship'] = async (memory, documents, faults) => {
    await sink.set(faults[0] ?? {});
    const to = ['--url', sink.url, '--root', root, '--state', join(root, '../state'), '--memory', String(memory)];
    await using running = await start(binary, [...to, '--timezone', 'UTC'], { keepOutput: true });
    const most: number[] = [];
    for (const [nth, fault] of [...faults, {}].entries()) {
      await sink.set(fault);
      const begun = (await sink.counts()).requests;
      const isLast = nth === faults.length;
      await until(isLast ? `${documents} documents` : `requests with ${JSON.stringify(fault)}`, async (saw) => {
        most[nth] = Math.max(most[nth] ?? 0, anonymous(running));
        const counts = await sink.counts();
        saw(counts);
        return (
          (isLast
            ? counts.distinct >= documents
            : counts.requests >= begun + (fault.p429 === undefined ? REQUESTS.outage : REQUESTS.refused)) || undefined
        );
      });
    }
    assert.equal(await running.stop(), 0);
    return most;
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
    const most = await shipping.ship(memory, LINES, [{ status: 503 }, { p429: 0.97 }]);
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
  const most = await shipping.ship(32 * MIB, seq, [{ status: 503 }]);
  t.diagnostic(inWords(most));
  assert.ok(Math.max(...most) <= 32 * MIB, inWords(most));
  const { missing, doubled } = await shipping.sink.numbers(seq);
  assert.deepEqual([missing, doubled], [[], []]);
});
