import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { createLog } from '../../../src/core/log.ts';
import { Contents } from '../../../src/logship/read/contents.ts';
import { newCounts, type Counts } from '../../../src/logship/counts.ts';
import { Follower } from '../../../src/logship/read/follow.ts';
import type { List } from '../../../src/logship/read/listing.ts';
import { documentId } from '../../../src/logship/read/generation.ts';
import { zoneNamed } from '../../../src/logship/parse/zone.ts';
import { CheckpointWriter, loadCheckpoint, type Loaded } from '../../../src/logship/state/checkpoint.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';

const CHECKPOINT = 'checkpoint.json';

/** A reader over a private directory, whose clock stands still until the test moves it. */
export interface Reading extends AsyncDisposable {
  readonly directory: string;
  readonly counts: Counts;
  /** Every line so far, in the order they came. */
  readonly lines: string[];
  readonly ids: string[];
  /** What the reader said. */
  readonly said: string[];
  path(name: string): string;
  /** Looks, and reads until there is no more; the clock goes on by `ms` before. */
  poll(ms?: number, final?: boolean): Promise<void>;
  /** A new reader that knows what the old one's checkpoint knew. Without one, it knows nothing. */
  restart(options?: { checkpoint: boolean }): Promise<void>;
  /** Waits before each chunk that is read. */
  pace: () => Promise<boolean>;
  /** Waits for the reader's watch, or for so long. */
  changed(ms: number): Promise<void>;
  /** Writes the checkpoint. */
  save(): Promise<void>;
  /** A new reader that knows what was saved last. */
  kill(): Promise<void>;
  /** Grows with what must be saved before lines are sent. */
  readonly begun: number;
  /** Which lines count as acknowledged; all, unless told. */
  acknowledge: (line: string) => boolean;
}

export const log = (said: string[] = [], heard: (text: string) => void = () => {}) =>
  createLog({
    helper: 'test',
    level: 'debug',
    format: 'json',
    terminal: { isTerminal: false, color: false, width: 80 },
    write: (line) => {
      const { msg } = JSON.parse(line) as { msg: string };
      said.push(msg);
      heard(msg);
    },
    now: () => new Date(),
  });

export interface ReadingOptions {
  readonly maxLineBytes?: number;
  /** Of names in the directory. */
  readonly patterns?: readonly string[];
  readonly excludes?: readonly string[];
  readonly from?: 'beginning' | 'end';
  /** How directories are read. */
  readonly list?: List;
  /** Called with what the reader says, while it waits. */
  readonly heard?: (text: string) => void;
}

/** Follows `*.log` in a directory of its own. Lines count as acknowledged as soon as they are read. */
export async function reading(options: ReadingOptions = {}): Promise<Reading> {
  const { maxLineBytes = 1024 * 1024, patterns = ['*.log'], excludes = [], from = 'beginning', list, heard } = options;
  const directory = await privateDirectory('logs', inMemory());
  const stateDir = join(directory.path, '.state');
  await mkdir(stateDir);
  const counts = newCounts();
  const lines: string[] = [];
  const ids: string[] = [];
  const said: string[] = [];
  let clock = Date.now();
  const now = () => clock;
  let contents: Contents;
  let follower: Follower;
  const start = ({ files, isFirstStart, savedMs }: Loaded) => {
    const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
    contents = new Contents({ source: 's', root: directory.path, origin, zone: zoneNamed('UTC'), now }, files);
    const parts = { contents, counts, log: log(said, heard), maxLineBytes, stateDir, excludes, uptime: now };
    const firstStart = isFirstStart ? from : undefined;
    follower = new Follower({
      ...parts,
      patterns: patterns.map((glob) => resolve(directory.path, glob)),
      firstStart,
      ...(list && { list }),
      sinceMs: savedMs,
    });
  };
  start({ files: [], isFirstStart: true, savedMs: undefined });
  const r: Reading = {
    directory: directory.path,
    counts,
    lines,
    ids,
    said,
    acknowledge: () => true,
    pace: () => Promise.resolve(true),
    path: (name) => join(directory.path, name),
    async poll(ms = 1000, final = false) {
      clock += ms;
      follower.look();
      const pace = () => r.pace();
      const read = () =>
        follower.read(
          ({ progress, generation }, line, offset, next, skipping) => {
            lines.push(line.toString());
            ids.push(documentId(generation, offset));
            const span = progress.begin(offset, { offset: next, skipping, timeMs: 0 });
            if (r.acknowledge(line.toString())) progress.settle(span);
          },
          { final, pace },
        );
      while (await read());
    },
    changed: (ms) => follower.changed(ms, AbortSignal.timeout(2 * ms)),
    get begun() {
      return contents.begun;
    },
    async save() {
      await new CheckpointWriter(new StateDirectory(stateDir), log(said), CHECKPOINT).save(() => contents.collect());
    },
    async kill() {
      follower[Symbol.dispose]();
      start(await loadCheckpoint(new StateDirectory(stateDir), log(said), CHECKPOINT));
    },
    async restart({ checkpoint } = { checkpoint: true }) {
      if (checkpoint) await r.save();
      follower[Symbol.dispose]();
      start(
        checkpoint
          ? await loadCheckpoint(new StateDirectory(stateDir), log(said), CHECKPOINT)
          : { files: [], isFirstStart: false, savedMs: undefined },
      );
    },
    async [Symbol.asyncDispose]() {
      follower[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
  return r;
}
