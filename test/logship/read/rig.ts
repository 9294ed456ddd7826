import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { Contents } from '../../../src/logship/read/contents.ts';
import { Follower } from '../../../src/logship/read/follow.ts';
import type { LineSource } from '../../../src/logship/read/line-reader.ts';
import type { TakeLine } from '../../../src/logship/read/take-line.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { until } from '../../support/until.ts';
import { log } from './reading.ts';
import { TailFileSource } from './tail-file-source.ts';

/** A reader of a private directory in which a case writes and rotates `a.log`. */
export interface Rig extends AsyncDisposable {
  readonly lines: readonly string[];
  path(name: string): string;
  /** Lets the reader deliver up to `wanted` lines in total; it may poll for `ms` of its own clock. */
  look(wanted: number, ms?: number): Promise<void>;
  /** Appends one byte, and lets the reader reach the end of the file. */
  append(name: string, byte: number): Promise<void>;
}

type RigName = 'our reader' | 'tail-file';

/** @param patienceMs how long an event-driven reader may deliver nothing before the case gives up */
export async function rig(reader: RigName, patienceMs: number): Promise<Rig> {
  const directory = await privateDirectory('rig', inMemory());
  const lines: string[] = [];
  let clock = 0;
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const contents = new Contents(
    { source: 's', root: directory.path, origin, zone: zoneTableNamed('UTC'), now: Date.now },
    [],
  );
  const parts = { contents, counts: newCounts(), log: log(), maxLineBytes: 16 * 1024 * 1024 };
  const source: LineSource =
    reader === 'tail-file'
      ? new TailFileSource(join(directory.path, 'a.log'), contents)
      : new Follower({ ...parts, patterns: [join(directory.path, '*.log')], uptime: () => clock });
  const take: TakeLine = (_, chunk, _offset, _next, _skipping, start, end) =>
    void lines.push(chunk.toString('utf8', start, end).replace(/\r$/, ''));
  const readAll = async () => {
    source.look();
    while (await source.read(take, { final: false, pace: () => Promise.resolve(true) }));
  };
  return {
    lines,
    path: (name) => join(directory.path, name),
    async look(wanted, ms = 250) {
      clock += ms;
      await readAll();
      if (reader === 'our reader') return;
      for (let lastMs = performance.now(), before = lines.length; lines.length < wanted; before = lines.length) {
        await source.changed(20, new AbortController().signal);
        await readAll();
        if (lines.length > before) lastMs = performance.now();
        if (performance.now() - lastMs > patienceMs) return;
      }
    },
    async append(name, byte) {
      const seen = source instanceof TailFileSource ? source.ends : 0;
      appendFileSync(join(directory.path, name), Buffer.of(byte));
      await readAll();
      if (source instanceof TailFileSource)
        await until('the end of the file', () => Promise.resolve(source.ends > seen || undefined));
    },
    async [Symbol.asyncDispose]() {
      source[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
