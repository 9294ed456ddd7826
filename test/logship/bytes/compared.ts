import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentWriter } from '../../../src/logship/batch/document-writer.ts';
import { SharedMemory } from '../../../src/logship/wasm/memory.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import { EventParser } from '../../../src/logship/parse/document.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';
import { HeldFile } from '../../../src/logship/read/held-file.ts';
import { Generation, documentId } from '../../../src/logship/position/generation.ts';
import { LineReader } from '../../../src/logship/read/line-reader.ts';
import { Progress } from '../../../src/logship/position/progress.ts';
import { Trail } from '../../../src/logship/position/trail.ts';
import { UndatedTimes } from '../../../src/logship/position/undated.ts';
import { Batcher, CAPACITY_BYTES } from '../../../src/logship/batch/batch.ts';
import { Capacity } from '../../../src/logship/batch/limits.ts';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';

export interface Result {
  readonly documents: readonly string[];
  /** For each document, the mark once that document and all before it are settled. */
  readonly reaches: readonly number[];
  /** How many of the documents were never converted to a string. */
  readonly fromBytes: number;
}

export interface ReadingMode {
  readonly schema: 'kolla' | 'ecs' | 'raw';
  readonly zone: string;
  /** If undefined, lines are converted to strings. */
  readonly memory: SharedMemory | undefined;
}

/** All documents of a log that grows by this number of bytes between two reads. */
export async function shipped(log: Buffer, { schema, zone, memory }: ReadingMode, piece: number): Promise<Result> {
  await using directory = await privateDirectory('bytes');
  const path = join(directory.path, 'nova-api.log');
  const fd = openSync(path, 'a');
  const origin = { hostname: 'h', pod: 'p', namespace: 'é"', node: undefined };
  const parser = new EventParser('/logs/nova/nova-api.log', {
    root: '/logs',
    origin,
    zone: zoneNamed(zone),
    schema,
    memory,
  });
  const file = new HeldFile(path, HeldFile.bufferFor(512 * 1024, memory), (name) => openSync(name, 'r'));
  using _ = file;
  const generation = new Generation('s', {
    path: '/logs/nova/nova-api.log',
    dev: 1,
    ino: 1,
    firstSeenMs: 0,
    head: log.subarray(0, Math.min(256, piece)),
    rivals: [],
  });
  const progress = new Progress({ offset: 0, skipping: false, timeMs: 0 });
  const undated = new UndatedTimes(0, { from: [], size: 0 }, () => {});
  const content = {
    generation,
    progress,
    parser,
    cuts: [],
    isNew: true,
    sentTo: 0,
    undated,
    timeMs: 0,
    modifiedMs: -1,
    size: 0,
    trail: new Trail(),
  };
  const opening = (day: string) => `{"create":{"_index":"flog-${day}","_id":"`;
  const writer = memory && { lines: new DocumentWriter(memory, opening), buffer: memory.writeBuffer(CAPACITY_BYTES) };
  const batcher = new Batcher({ opening, capacity: new Capacity(CAPACITY_BYTES), now: () => 0, writer });
  const documents: string[] = [];
  const reaches: number[] = [];
  let fromBytes = 0;
  const flush = () => {
    if (batcher.isEmpty) return;
    const batch = batcher.seal();
    for (let at = 0; at < batch.count; at++) {
      documents.push(batch.document(at).toString());
      for (const span of batch.spans(at)) progress.settle(span);
      reaches.push(progress.acknowledged.offset);
    }
    batcher.recycle(batch);
  };
  const framer = new Framer({
    emit(event) {
      const weight = batcher.addLine(event);
      if (weight > 0) fromBytes++;
      else
        batcher.add({
          ...parser.parse(event),
          id: documentId(generation, event.offset, event.text),
          spans: event.spans,
        });
      if (batcher.isFull) flush();
    },
    held: { take() {}, give() {} },
    timeoutMs: 1e9,
    now: () => 0,
    memory,
  });
  const parts = { contents: { cutLine() {} }, counts: newCounts(), log: recordedLog().log, maxLineBytes: 256 * 1024 };
  const reader = new LineReader(path, file, parts);
  const read = (final: boolean) => {
    do framer.keep();
    while (reader.read(content, framer.take, final) === true);
  };
  for (let at = 0; at < log.length; at += piece) {
    writeSync(fd, log, at, Math.min(piece, log.length - at));
    read(false);
  }
  read(true);
  closeSync(fd);
  framer.cut();
  flush();
  return { documents, reaches, fromBytes };
}

/**
 * Asserts that documents made from bytes, with `piece` bytes between two reads, equal those made from strings.
 * @param expected the documents from strings, if known
 */
export async function assertSame(
  log: Buffer,
  way: Omit<ReadingMode, 'memory'>,
  piece: number,
  expected?: Result,
): Promise<Result> {
  const strings = expected ?? (await shipped(log, { ...way, memory: undefined }, log.length));
  const bytes = await shipped(log, { ...way, memory: SharedMemory.open() }, piece);
  // Compared one by one, because printing the diff of all documents would take minutes.
  for (const [at, document] of strings.documents.entries()) assert.equal(bytes.documents[at], document);
  assert.equal(bytes.documents.length, strings.documents.length);
  assert.deepEqual(bytes.reaches, strings.reaches);
  return bytes;
}
