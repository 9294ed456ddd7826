import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { Rig } from './rig.ts';

/** Changes a log file. Returns the lines that were written, in order. */
export interface Case {
  readonly name: string;
  readonly run: (rig: Rig) => Promise<readonly string[]>;
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`);
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const FILE = 'a.log';

/** Appends lines with consecutive numbers. */
function writer(rig: Rig) {
  const written: string[] = [];
  return {
    written,
    append(lines: number, name = FILE) {
      const more = numbered(written.length, written.length + lines);
      written.push(...more);
      appendFileSync(rig.path(name), text(more));
    },
    look: (ms?: number) => rig.look(written.length, ms),
  };
}

function copytruncate(rig: Rig, to = 'a.log.1'): void {
  copyFileSync(rig.path(FILE), rig.path(to));
  truncateSync(rig.path(FILE));
}

export const CASES: readonly Case[] = [
  {
    name: 'lines are appended',
    async run(rig) {
      const w = writer(rig);
      for (let n = 0; n < 5; n++) {
        w.append(10);
        await w.look();
      }
      return w.written;
    },
  },
  {
    name: 'a line is written in two parts',
    async run(rig) {
      writeFileSync(rig.path(FILE), 'whole\nhal');
      await rig.look(1);
      appendFileSync(rig.path(FILE), 'f\n');
      await rig.look(2);
      return ['whole', 'half'];
    },
  },
  {
    name: 'a character is written in parts',
    async run(rig) {
      writeFileSync(rig.path(FILE), 'first\n');
      await rig.look(1);
      for (const byte of Buffer.from('grüße €')) await rig.append(FILE, byte);
      appendFileSync(rig.path(FILE), '\n');
      await rig.look(2);
      return ['first', 'grüße €'];
    },
  },
  {
    name: 'characters cross chunk boundaries',
    async run(rig) {
      const lines = Array.from({ length: 6000 }, (_, n) => `${n} ${'€'.repeat(60 + (n % 7))}`);
      writeFileSync(rig.path(FILE), text(lines));
      await rig.look(lines.length);
      return lines;
    },
  },
  {
    name: 'a line of a megabyte',
    async run(rig) {
      const lines = ['y'.repeat(1_000_000), 'next'];
      writeFileSync(rig.path(FILE), text(lines));
      await rig.look(2);
      return lines;
    },
  },
  {
    name: 'lines end with CRLF',
    async run(rig) {
      writeFileSync(rig.path(FILE), 'one\r\ntwo\r\n');
      await rig.look(2);
      return ['one', 'two'];
    },
  },
  {
    name: 'the file appears later',
    async run(rig) {
      const w = writer(rig);
      await w.look();
      w.append(10);
      await w.look(1000);
      return w.written;
    },
  },
  {
    name: 'five renames, with polls in between',
    async run(rig) {
      const w = writer(rig);
      for (let n = 0; n < 5; n++) {
        w.append(10);
        await w.look();
        w.append(10);
        await w.look();
        renameSync(rig.path(FILE), rig.path(`a.log.${5 - n}`));
      }
      w.append(10);
      await w.look(1000);
      return w.written;
    },
  },
  {
    name: 'a rename before the last lines were read',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      w.append(10);
      renameSync(rig.path(FILE), rig.path('a.log.1'));
      w.append(10);
      await w.look();
      return w.written;
    },
  },
  {
    name: 'a writer keeps the old file after a rename',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      const old = openSync(rig.path(FILE), 'a');
      renameSync(rig.path(FILE), rig.path('a.log.1'));
      w.append(10);
      await w.look();
      writeSync(old, 'late\n');
      closeSync(old);
      await rig.look(w.written.length + 1, 3000);
      return [...w.written, 'late'];
    },
  },
  {
    name: 'the new file appears later after a rename',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      renameSync(rig.path(FILE), rig.path('a.log.1'));
      await w.look(1000);
      w.append(10, 'a.log.1');
      await w.look(1000);
      w.append(10);
      await w.look(1000);
      return w.written;
    },
  },
  {
    name: 'two renames between polls',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      w.append(10);
      renameSync(rig.path(FILE), rig.path('a.log.2'));
      w.append(10);
      renameSync(rig.path(FILE), rig.path('a.log.1'));
      w.append(10);
      await w.look();
      return w.written;
    },
  },
  {
    name: 'the file is truncated after a poll',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      copytruncate(rig);
      await w.look();
      w.append(5);
      await w.look();
      return w.written;
    },
  },
  {
    name: 'copytruncate before the last lines were read',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      w.append(10);
      copytruncate(rig);
      w.append(5);
      await w.look();
      await w.look();
      return w.written;
    },
  },
  {
    name: 'two copytruncates between polls',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      w.append(10);
      copytruncate(rig);
      renameSync(rig.path('a.log.1'), rig.path('a.log.2'));
      w.append(10);
      copytruncate(rig);
      w.append(5);
      await w.look();
      await w.look();
      return w.written;
    },
  },
  {
    name: 'copytruncate, and the new content is longer than the old one',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      copytruncate(rig);
      w.append(100);
      await w.look();
      return w.written;
    },
  },
  {
    name: 'copytruncate, and the new content starts like the old one',
    async run(rig) {
      writeFileSync(rig.path(FILE), 'banner\none\n');
      await rig.look(2);
      copytruncate(rig);
      appendFileSync(rig.path(FILE), 'banner\ntwo\nthree\n');
      await rig.look(5);
      return ['banner', 'one', 'banner', 'two', 'three'];
    },
  },
  {
    name: 'the file is removed, and re-created after a poll',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      rmSync(rig.path(FILE));
      await w.look();
      w.append(10);
      await w.look(1000);
      return w.written;
    },
  },
  {
    name: 'the file is removed and re-created at once',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      rmSync(rig.path(FILE));
      w.append(10);
      await w.look();
      return w.written;
    },
  },
  {
    name: 'lines are written just before a removal',
    async run(rig) {
      const w = writer(rig);
      w.append(10);
      await w.look();
      w.append(10);
      rmSync(rig.path(FILE));
      await w.look();
      return w.written;
    },
  },
];

/** What became of the lines that were written. */
export interface Outcome {
  readonly lost: number;
  readonly doubled: number;
  /** Lines that were delivered but never written. */
  readonly corrupt: number;
}

export async function outcomeOf({ run }: Case, rig: Rig): Promise<Outcome> {
  const written = await run(rig);
  const wanted = new Map<string, number>();
  for (const line of written) wanted.set(line, (wanted.get(line) ?? 0) + 1);
  let [doubled, corrupt] = [0, 0];
  for (const line of rig.lines) {
    const left = wanted.get(line);
    if (left === undefined) corrupt++;
    else if (left === 0) doubled++;
    else wanted.set(line, left - 1);
  }
  const lost = [...wanted.values()].reduce((sum, left) => sum + left, 0);
  return { lost, doubled, corrupt };
}
