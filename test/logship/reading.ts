import { join } from 'node:path';
import { createLog } from '../../src/cli/log.ts';
import { Contents } from '../../src/logship/contents.ts';
import { newCounts, type Counts } from '../../src/logship/counts.ts';
import { Follower } from '../../src/logship/follow.ts';
import { documentId } from '../../src/logship/generation.ts';
import { zoneNamed } from '../../src/logship/parse/zone.ts';
import type { Saved } from '../../src/logship/checkpoint.ts';
import { privateFolder } from '../support/folder.ts';

/** A reader over a private folder, whose clock stands still until the test moves it. */
export interface Reading extends AsyncDisposable {
  readonly folder: string;
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
  restart(options?: { checkpoint: boolean }): void;
}

export const log = (said: string[] = []) =>
  createLog({
    helper: 'test',
    level: 'debug',
    format: 'json',
    terminal: { isTerminal: false, color: false, width: 80 },
    write: (line) => void said.push((JSON.parse(line) as { msg: string }).msg),
    now: () => new Date(),
  });

/** Follows `*.log` in a folder of its own. Lines count as acknowledged as soon as they are read. */
export async function reading({ maxLineBytes = 1024 * 1024 } = {}): Promise<Reading> {
  const folder = await privateFolder('logs');
  const counts = newCounts();
  const lines: string[] = [];
  const ids: string[] = [];
  const said: string[] = [];
  let clock = Date.now();
  const now = () => clock;
  let contents: Contents;
  let follower: Follower;
  const start = (saved: readonly Saved[]) => {
    const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
    contents = new Contents({ source: 's', root: folder.path, origin, zone: zoneNamed('UTC'), now }, saved);
    const patterns = [join(folder.path, '*.log')];
    follower = new Follower({ patterns, contents, counts, log: log(said), now, maxLineBytes });
  };
  start([]);
  return {
    folder: folder.path,
    counts,
    lines,
    ids,
    said,
    path: (name) => join(folder.path, name),
    async poll(ms = 1000, final = false) {
      clock += ms;
      follower.look();
      const pace = () => Promise.resolve(true);
      const read = () =>
        follower.read(
          ({ progress, generation }, line, offset, next, skipping) => {
            lines.push(line.toString());
            ids.push(documentId(generation, offset));
            const segment = progress.begin();
            segment.left = 1;
            segment.end = { offset: next, skipping, timeMs: 0 };
            progress.settle(segment);
          },
          { final, pace },
        );
      while (await read());
    },
    restart({ checkpoint } = { checkpoint: true }) {
      const saved = contents.collect();
      follower[Symbol.dispose]();
      start(checkpoint ? saved : []);
    },
    async [Symbol.asyncDispose]() {
      follower[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
