/**
 * A service whose workers log into one file: `node writer.ts JSON`, with WriterOptions. Exits when everything is
 * written. Lines are appended as they come, sometimes split within a character; a synced file next to the log records
 * what was definitely written.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { BANNERS, linesOf } from './numbered.ts';
import { MOVES, ROTATIONS, type Rotation } from './rotations.ts';
import { TruthFile } from './truth.ts';

export interface WriterOptions {
  readonly log: string;
  readonly truth: string;
  /** Number of the first event; `to` is the number after the last one. */
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly workers: number;
  /** Every n-th event has a traceback; with 0, none has. */
  readonly tracebackEvery: number;
  /** Number of days over which the events are spread. */
  readonly days: number;
  /** Whether each write ends at the end of an event, so that a stop or rotation never splits one. */
  readonly wholeEvents: boolean;
  /** Maximum number of events per write: a concurrent reader may see part of one that spans several pages. */
  readonly atOnce: number;
  /** Whether all files start with the same line. */
  readonly banner?: keyof typeof BANNERS | undefined;
  readonly rotation?: Rotation | undefined;
  /** Number of events between two rotations. */
  readonly rotateEvery: number;
  /**
   * The sink that must have received a file before the next rotation compresses it, since compressed files are not
   * read: with Kolla's settings that takes a day, here less than a second, too short for the shipper on a busy
   * machine.
   */
  readonly compressesBehind?: string | undefined;
}

const BEGIN_MS = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
const FIRST_PID = 7;
const NEWLINE = 10;
/** For `renames`: number of events in a generation that never appears at its path. */
const FEW = 25;

class Service implements Disposable {
  readonly #options: WriterOptions;
  readonly #random: () => number;
  readonly #truth: TruthFile;
  /** The lines that each worker has yet to write of its event. */
  readonly #pending: { n: number; lines: string[] }[];
  #fd: number;
  #next: number;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed);
    this.#truth = new TruthFile(options.truth);
    this.#pending = Array.from({ length: options.workers }, () => ({ n: options.to, lines: [] }));
    this.#next = options.from;
    this.#fd = openSync(options.log, 'a+');
    this.#tell(options.from);
    // A killed writer may have left half a line.
    if (!endsWithNewline(this.#fd)) writeSync(this.#fd, '\n');
    this.#open();
  }

  get isOver(): boolean {
    return this.#next >= this.#options.to;
  }

  /** Number of events that were started. */
  get begun(): number {
    return this.#next - this.#options.from;
  }

  /** Starts up to this many events and writes the workers' pending lines. */
  write(events: number): void {
    const end = Math.min(this.#next + events, this.#options.to);
    this.#tell(end);
    let text = '';
    while (this.#next < end) text += this.#line();
    if (this.isOver || this.#options.wholeEvents)
      for (const { lines } of this.#pending) while (lines.length > 0) text += `${lines.shift()}\n`;
    this.#append(Buffer.from(text));
    this.#tell(end);
  }

  rotate(rotation: Rotation): void {
    const { log } = this.#options;
    ROTATIONS[rotation](log);
    if (MOVES.includes(rotation)) {
      closeSync(this.#fd);
      this.#fd = openSync(log, 'a');
    }
    this.#open();
  }

  #open(): void {
    const { banner } = this.#options;
    if (banner !== undefined && fstatSync(this.#fd).size === 0) writeSync(this.#fd, `${BANNERS[banner]}\n`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    this.#truth[Symbol.dispose]();
  }

  #tell(begun: number): void {
    this.#truth.write({ from: this.#options.from, whole: this.#whole, begun });
  }

  /** Every event below this number is written. */
  get #whole(): number {
    const unfinished = this.#pending.filter(({ lines }) => lines.length > 0).map(({ n }) => n);
    return Math.min(this.#next, ...unfinished);
  }

  /** The next line of a random worker, from its current event or from a new one. */
  #line(): string {
    const at = Math.floor(this.#random() * this.#pending.length);
    const worker = this.#pending[at]!;
    if (worker.lines.length === 0) {
      const n = this.#next++;
      const { tracebackEvery, days } = this.#options;
      const depth = tracebackEvery > 0 && n % tracebackEvery === 0 ? 2 + Math.floor(this.#random() * 8) : 0;
      worker.n = n;
      worker.lines = linesOf({ n, depth, pid: FIRST_PID + at, timeMs: BEGIN_MS + (n % days) * DAY_MS + n * 2 });
    }
    return `${worker.lines.shift()}\n`;
  }

  /** Writes the bytes at once, or in two parts that are split at a random byte. */
  #append(bytes: Buffer): void {
    const isCut = !this.#options.wholeEvents && this.#random() < 0.1;
    const cut = isCut ? Math.floor(this.#random() * bytes.length) : bytes.length;
    writeSync(this.#fd, bytes.subarray(0, cut));
    if (cut < bytes.length) writeSync(this.#fd, bytes.subarray(cut));
  }
}

function endsWithNewline(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE);
}

async function main(options: WriterOptions): Promise<void> {
  const { perSecond, rotation, rotateEvery, seed, atOnce, compressesBehind } = options;
  using service = new Service(options);
  const random = randomFrom(seed + 1);
  const began = performance.now();
  let rotated = 0;
  while (!service.isOver) {
    const untilRotation = rotation === undefined ? Infinity : rotated + rotateEvery - service.begun;
    // In `regrow` a generation is written at once and is longer than the previous one.
    const most = rotation === 'regrow' ? untilRotation : 1 + Math.floor(random() * atOnce);
    service.write(Math.min(most, untilRotation));
    if (rotation !== undefined && service.begun - rotated >= rotateEvery && !service.isOver) {
      // The last rotation's copy has been read completely once a later event is indexed.
      if (compressesBehind !== undefined && rotated > 0) await documents(compressesBehind, rotated + 1);
      service.rotate(rotation);
      rotated = service.begun;
      if (rotation === 'renames') rotateAgain(service);
      if (rotation === 'regrow') service.write(rotateEvery + FEW);
    }
    const ahead = (service.begun / perSecond) * 1000 - (performance.now() - began);
    if (ahead > 0) await sleep(ahead);
  }
}

/** Resolves when the sink has this many documents. */
async function documents(url: string, count: number): Promise<void> {
  await until(`${count} documents`, async (saw) => {
    const { distinct } = (await (await fetch(`${url}/__sink/counts`)).json()) as { distinct: number };
    saw(distinct);
    return distinct >= count || undefined;
  });
}

function rotateAgain(service: Service): void {
  for (const _ of [2, 3]) {
    service.write(FEW);
    service.rotate('renames');
  }
}

await main(JSON.parse(process.argv[2] ?? '') as WriterOptions);
