import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { createLog } from '../../../src/core/log.ts';
import { Contents } from '../../../src/logship/read/contents.ts';
import type { Content } from '../../../src/logship/read/content.ts';
import { newCounts, type Counts, type FileState } from '../../../src/logship/report/counts.ts';
import { Handles } from '../../../src/logship/read/handles.ts';
import { Follower } from '../../../src/logship/read/follow.ts';
import type { List } from '../../../src/logship/read/listing.ts';
import { documentId } from '../../../src/logship/position/generation.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { CheckpointWriter, loadCheckpoint, type Loaded } from '../../../src/logship/state/checkpoint.ts';
import type { Holes } from '../../../src/logship/state/holes.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';

const CHECKPOINT = 'checkpoint.json';

/** A reader of a private directory, with a clock that the test moves. */
export interface Reading extends AsyncDisposable {
  readonly directory: string;
  readonly counts: Counts;
  /** All lines so far, in order. */
  readonly lines: string[];
  readonly ids: string[];
  /** The messages that the reader has logged. */
  readonly said: string[];
  path(name: string): string;
  /** Advances the clock by `ms`, polls, and reads everything. */
  poll(ms?: number, final?: boolean): Promise<void>;
  /** Replaces the reader with one that has the old one's checkpoint, or no checkpoint. */
  restart(options?: { checkpoint: boolean }): Promise<void>;
  /** Awaited before each chunk is read. */
  pace: () => Promise<boolean>;
  /** Selects the paths that are not read on for now; by default none. */
  holds: (path: string) => boolean;
  /** Advances the clock. */
  pass(ms: number): void;
  readonly fileStates: readonly FileState[];
  /** The number of bytes that are not acknowledged. */
  readonly left: number;
  /** Waits until the reader's watch reports a change, for `ms` at most. */
  changed(ms: number): Promise<void>;
  /** Writes the checkpoint. */
  save(): Promise<void>;
  /** Replaces the reader with one that has the last saved checkpoint. */
  kill(): Promise<void>;
  /** Increases when state must be saved before lines may be sent. */
  readonly begun: number;
  /** Selects the lines that count as acknowledged; by default all. */
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
  /** Patterns relative to the directory. */
  readonly patterns?: readonly string[];
  readonly excludes?: readonly string[];
  readonly from?: 'beginning' | 'end';
  /** Lists directories. */
  readonly list?: List;
  /** Called with each message of the reader, which waits for the result. */
  readonly heard?: (text: string) => void;
  /** The limit of open files, half of which are for logs; by default there is none. */
  readonly openFiles?: number;
  /** The record of holes; by default there is none. */
  readonly holes?: Pick<Holes, 'of' | 'isComplete'>;
}

/** Follows `*.log` in a private directory. Lines count as acknowledged as soon as they are read. */
export async function reading(options: ReadingOptions = {}): Promise<Reading> {
  const {
    maxLineBytes = 1024 * 1024,
    patterns = ['*.log'],
    excludes = [],
    from = 'beginning',
    list,
    heard,
    openFiles,
    holes,
  } = options;
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
    contents = new Contents({ source: 's', root: directory.path, origin, zone: zoneTableNamed('UTC'), now }, files);
    const parts = { contents, counts, log: log(said, heard), maxLineBytes, stateDir, excludes, uptime: now, holes };
    const firstStart = isFirstStart ? from : undefined;
    follower = new Follower({
      ...parts,
      patterns: patterns.map((glob) => resolve(directory.path, glob)),
      firstStart,
      ...(list && { list }),
      handles: new Handles({ limit: openFiles, log: log(said, heard) }),
      sinceMs: savedMs,
    });
  };
  start({ files: [], isFirstStart: true, savedMs: undefined, indexGeneration: 0 });
  const r: Reading = {
    directory: directory.path,
    counts,
    lines,
    ids,
    said,
    acknowledge: () => true,
    pace: () => Promise.resolve(true),
    holds: () => false,
    pass: (ms) => void (clock += ms),
    get fileStates() {
      return follower.fileStates;
    },
    get left() {
      return follower.left;
    },
    path: (name) => join(directory.path, name),
    async poll(ms = 1000, final = false) {
      clock += ms;
      follower.look();
      const pace = () => r.pace();
      const isHeld = ({ generation }: Content) => r.holds(generation.path);
      const read = () =>
        follower.read(
          ({ progress, generation }, chunk, offset, next, skipping, begin, end) => {
            const line = chunk.subarray(begin, end);
            lines.push(line.toString());
            ids.push(documentId(generation, offset, line));
            const span = progress.begin(offset, { offset: next, skipping, timeMs: 0 });
            if (r.acknowledge(line.toString())) progress.settle(span);
          },
          { final, pace, isHeld },
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
          : { files: [], isFirstStart: false, savedMs: undefined, indexGeneration: 0 },
      );
    },
    async [Symbol.asyncDispose]() {
      follower[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
  return r;
}
