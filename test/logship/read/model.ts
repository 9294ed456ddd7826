import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { randomFrom } from '../../support/random.ts';
import { reading, type Reading } from './reading.ts';

const FILE = 'a.log';
/** Number of rotated files that are kept: at least as many as can appear between two polls. */
const KEPT = 4;
/** The first line of about half of the files, so that several files start with the same line. */
const BANNER = 'banner';

/** The result of one run of the model. */
export interface ModelResult {
  readonly written: number;
  /** Lines that have no document. */
  readonly lost: readonly string[];
  /** Lines that have several documents. */
  readonly doubled: readonly string[];
  /** Different lines that have the same ID, of which the second would not be indexed. */
  readonly collided: readonly string[];
  readonly history: readonly string[];
}

/** Names of files that take the only handle from the log, when handles are short. */
const OTHERS = ['other1.log', 'other2.log'];

/**
 * Randomly writes numbered lines, rotates, polls, stops and kills, and judges like an index that stores each id once.
 * @param seed the same seed gives the same run
 * @param isShort whether one log may be open at a time
 */
export async function runModel(seed: number, steps: number, isShort = false): Promise<ModelResult> {
  const random = randomFrom(seed);
  await using r = await reading(isShort ? { openFiles: 2 } : {});
  const rotates = random() < 0.5 ? 'copytruncate' : 'rename';
  const log = new LogFile(r, rotates, random);
  const history: string[] = [rotates];
  let saved = -1;
  /** A line is in flight. Only a kill makes the reader read it again. */
  let isHeld = false;
  const look = async (final = false) => {
    const isHolding = random() < 0.2;
    isHeld ||= isHolding;
    r.acknowledge = () => !isHolding;
    const isLong = random() < 0.1;
    // A partial line that was unfinished for this long counts as complete.
    if (isLong) log.whole();
    if (isShort) for (const name of OTHERS) if (random() < 0.7) appendFileSync(r.path(name), 'other\n');
    await r.poll(isLong ? 6000 : 250, final);
    // The shipper saves its checkpoint before it sends the lines read.
    const saves = r.begun !== saved || random() < 0.5;
    if (saves) await r.save();
    saved = r.begun;
    // A file rotated away before it was acknowledged is lost after a kill.
    if (saves && !isHeld) log.looked();
  };
  const again = () => {
    saved = r.begun;
    isHeld = false;
  };
  const choices: readonly (readonly [number, string, () => Promise<void> | void])[] = [
    [10, 'append', () => log.append()],
    [2, 'half', () => log.half()],
    [4, 'rotate', () => log.rotate()],
    [2, 'reopen', () => log.reopen()],
    [8, 'look', () => look()],
    [
      1,
      'stop',
      () =>
        log.whole() ??
        look(true)
          .then(() => r.restart())
          .then(again),
    ],
    [2, 'kill', () => r.kill().then(again)],
  ];
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  for (let n = 0; n < steps; n++) {
    let at = random() * total;
    const [, name, act] = choices.find(([weight]) => (at -= weight) < 0)!;
    const before = log.written.length;
    await act();
    history.push(log.written.length > before ? `${name} ${before}-${log.written.length - 1}` : name);
  }
  log.whole();
  r.acknowledge = () => true;
  for (let n = 0; n < 4; n++) await r.poll(6000);
  log[Symbol.dispose]();
  return { ...judge(log.written, r), history };
}

function judge(written: readonly string[], { lines, ids }: Reading): Omit<ModelResult, 'history'> {
  const indexed = new Map<string, string>();
  const collided: string[] = [];
  for (const [n, line] of lines.entries()) {
    const known = indexed.get(ids[n]!);
    if (known === undefined) indexed.set(ids[n]!, line);
    else if (known !== line) collided.push(line);
  }
  const documents = new Map<string, number>();
  for (const line of indexed.values()) documents.set(line, (documents.get(line) ?? 0) + 1);
  return {
    written: written.length,
    lost: written.filter((line) => !documents.has(line)),
    doubled: written.filter((line) => (documents.get(line) ?? 0) > 1),
    collided,
  };
}

/** The log of a service, with its rotation. */
class LogFile implements Disposable {
  readonly written: string[] = [];
  readonly #r: Reading;
  readonly #rotates: 'copytruncate' | 'rename';
  readonly #random: () => number;
  #fd: number;
  #rotations = 0;
  #isFresh = true;
  /** The rest of a line that was partially written. */
  #rest: string | undefined;

  constructor(r: Reading, rotates: 'copytruncate' | 'rename', random: () => number) {
    this.#r = r;
    this.#rotates = rotates;
    this.#random = random;
    this.#fd = openSync(r.path(FILE), 'a');
  }

  append(): void {
    this.whole();
    if (this.#isFresh && this.#random() < 0.5) writeSync(this.#fd, `${BANNER}\n`);
    this.#isFresh = false;
    const lines = 1 + Math.floor(this.#random() * 30);
    for (let n = 0; n < lines; n++) writeSync(this.#fd, `${this.#next()}\n`);
  }

  half(): void {
    this.whole();
    const line = this.#next();
    const at = 1 + Math.floor(this.#random() * (line.length - 1));
    writeSync(this.#fd, line.slice(0, at));
    this.#rest = `${line.slice(at)}\n`;
    this.#isFresh = false;
  }

  /** Completes a line that was partially written. */
  whole(): void {
    if (this.#rest !== undefined) writeSync(this.#fd, this.#rest);
    this.#rest = undefined;
  }

  rotate(): void {
    if (++this.#rotations > KEPT - 1) return;
    const path = (name: string) => this.#r.path(name);
    if (!existsSync(path(FILE))) return;
    // A line torn by the copy is logrotate's doing, not the reader's.
    if (this.#rotates === 'copytruncate') this.whole();
    rmSync(path(`${FILE}.${KEPT}`), { force: true });
    for (let n = KEPT - 1; n > 0; n--)
      if (existsSync(path(`${FILE}.${n}`))) renameSync(path(`${FILE}.${n}`), path(`${FILE}.${n + 1}`));
    if (this.#rotates === 'rename') return renameSync(path(FILE), path(`${FILE}.1`));
    copyFileSync(path(FILE), path(`${FILE}.1`));
    truncateSync(path(FILE));
    this.#isFresh = true;
  }

  /** Reopens the log, as a service does after a rename. */
  reopen(): void {
    if (existsSync(this.#r.path(FILE))) return;
    this.whole();
    closeSync(this.#fd);
    this.#fd = openSync(this.#r.path(FILE), 'a');
    this.#isFresh = true;
  }

  looked(): void {
    this.#rotations = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #next(): string {
    const line = `line ${this.written.length} ${'x'.repeat(Math.floor(this.#random() * 40))}`;
    this.written.push(line);
    return line;
  }
}
