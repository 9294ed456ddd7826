import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Batcher, CAPACITY_BYTES } from '../../../src/logship/batch/batcher.ts';
import { Budget, Capacity } from '../../../src/logship/batch/limits.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import type { FormatName } from '../../../src/logship/formats/index.ts';
import { Generation } from '../../../src/logship/position/generation.ts';
import { Progress } from '../../../src/logship/position/progress.ts';
import { Trail } from '../../../src/logship/position/trail.ts';
import { UndatedTimes } from '../../../src/logship/position/undated.ts';
import { readBuffer } from '../../../src/logship/read/bytes.ts';
import { HeldFile } from '../../../src/logship/read/held-file.ts';
import { LineReader } from '../../../src/logship/read/line-reader.ts';
import type { TakeLine } from '../../../src/logship/read/take-line.ts';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { Filling } from '../../../src/logship/send/filling.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { SEEN_MS, zone } from './framing.ts';

const NEWLINE = 10;

export interface Result {
  /** Documents by the beginning of each, which has its ID. */
  readonly documents: ReadonlyMap<string, string>;
  /** The mark when all documents are settled. */
  readonly reached: number;
  readonly lines: number;
  /** How many documents were written in bulk. */
  readonly inBulk: number;
  /** The largest number of requests that one read has filled. */
  readonly most: number;
}

export interface ReadingMode {
  readonly format: FormatName;
  readonly schema?: 'kolla' | 'ecs' | 'raw';
  readonly zone?: string;
  readonly isBulk: boolean;
  /** Maximum size of a request. */
  readonly mostBytes?: number;
  readonly maxLineBytes?: number;
  /** There is no room after a request until the next read. */
  readonly isTight?: boolean;
}

/** All documents of a log that grows by this number of bytes between two reads. */
export async function shipped(log: Buffer, mode: ReadingMode, piece: number): Promise<Result> {
  const {
    format,
    schema = 'kolla',
    isBulk,
    mostBytes = CAPACITY_BYTES,
    maxLineBytes = 256 * 1024,
    isTight = false,
  } = mode;
  await using directory = await privateDirectory('bulk');
  const path = join(directory.path, 'a.log');
  const fd = openSync(path, 'a');
  const file = new HeldFile(path, readBuffer(512 * 1024), (name) => openSync(name, 'r'));
  using _ = file;
  const origin = { hostname: 'h', pod: 'p', namespace: 'é"', node: undefined };
  const formats = [{ glob: '/**', format }];
  const head = log.subarray(0, Math.min(256, piece));
  const progress = new Progress({ offset: 0, skipping: false, timeMs: SEEN_MS });
  const content = {
    generation: new Generation('s', { path: '/logs/a.log', dev: 1, ino: 1, firstSeenMs: SEEN_MS, head, rivals: [] }),
    progress,
    format: new FileFormat('/logs/svc/a.log', { root: '/logs', origin, zone: zone(mode.zone), schema, formats }),
    cuts: [],
    isNew: true,
    sentTo: 0,
    undated: new UndatedTimes(SEEN_MS, { from: [] }, () => {}),
    timeMs: SEEN_MS,
    modifiedMs: -1,
    size: 0,
    trail: new Trail(),
    nth: 0,
  };
  const opening = (day: string) => `{"create":{"_index":"flog-${day}","_id":"`;
  const batcher = new Batcher({ opening, capacity: new Capacity(mostBytes), now: () => 0 });
  const documents = new Map<string, string>();
  const counts = newCounts();
  let requests = 0;
  let most = 0;
  const flush = () => {
    if (batcher.isEmpty) return false;
    most = Math.max(most, ++requests);
    const batch = batcher.seal();
    for (let at = 0; at < batch.count; at++) {
      const [action = '', source = '', ...rest] = batch.document(at).toString().split('\n');
      assert.deepEqual(rest, [''], 'a document is two lines');
      assert.equal(documents.has(action), false, `twice: ${action}`);
      documents.set(action, source);
    }
    for (const { spans, count } of batch.places) for (const span of spans) progress.settle(span, count);
    batcher.recycle(batch);
    return true;
  };
  const budget = new Budget(() => Infinity);
  let inBulk = 0;
  const filling = new Filling({
    batcher,
    budget,
    counts,
    maxLineBytes,
    earlier: undefined,
    flush,
    hasRoom: () => !isTight || requests === 0,
  });
  const { emit, bulk } = filling;
  const counted: typeof bulk = {
    ...bulk,
    add(to, block, span) {
      inBulk += block.documents;
      bulk.add(to, block, span);
    },
  };
  const ours = { emit, held: budget, timeoutMs: 1e9, now: () => 0 };
  const framer = new Framer(isBulk ? { ...ours, bulk: counted } : ours);
  const take: TakeLine = framer.take;
  const reader = new LineReader(path, file, {
    contents: { cutLine() {} },
    counts,
    log: recordedLog().log,
    maxLineBytes,
  });
  const read = (final: boolean) => {
    do requests = 0;
    while (reader.read(content, take, final) === true);
  };
  for (let at = 0; at < log.length; at += piece) {
    writeSync(fd, log, at, Math.min(piece, log.length - at));
    content.generation.learn(log.subarray(0, Math.min(256, at + piece)));
    read(false);
    const complete = log.lastIndexOf(NEWLINE, Math.min(at + piece, log.length) - 1) + 1;
    assert.ok(file.position >= complete, `read to ${file.position}, and lines end at ${complete}`);
  }
  read(true);
  closeSync(fd);
  framer.cut();
  flush();
  return { documents, reached: progress.acknowledged.offset, lines: counts.lines, inBulk, most };
}

/**
 * Asserts that documents of lines taken in bulk, with `piece` bytes between two reads, equal those of lines taken one by one.
 * @param expected the latter, if known
 */
export async function assertSame(
  log: Buffer,
  mode: Omit<ReadingMode, 'isBulk'>,
  piece: number,
  expected?: Result,
): Promise<Result> {
  const single = expected ?? (await shipped(log, { ...mode, isBulk: false }, log.length));
  const bulk = await shipped(log, { ...mode, isBulk: true }, piece);
  // Compared one by one, because printing the diff of all documents would take minutes.
  for (const [action, document] of single.documents) assert.equal(bulk.documents.get(action), document, action);
  assert.equal(bulk.documents.size, single.documents.size);
  assert.deepEqual([bulk.reached, bulk.lines], [single.reached, single.lines]);
  return bulk;
}
