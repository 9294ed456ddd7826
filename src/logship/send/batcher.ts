import type { Span } from '../read/progress.ts';
import { Batch, DOCUMENT_OVERHEAD_BYTES } from './batch.ts';
import type { Capacity } from './capacity.ts';

/** As a request of two thousand ordinary lines, and as much as nginx takes where nobody told it otherwise. */
const CAPACITY_BYTES = 1024 * 1024;
const BATCH_DOCUMENTS = 2000;
/** Buffers that are kept for the next batches. */
const SPARE_BUFFERS = 4;

export interface BatcherOptions {
  /** What stands before a document's id and after it, by its day in UTC (`2026-11-20`); nothing where ids are not sent. */
  readonly opening: ((day: string) => string) | undefined;
  readonly capacity: Capacity;
  readonly now: () => number;
}

/** An event on its way. */
export interface Document {
  readonly id: string;
  /** Its own, in UTC: `2026-11-20`. */
  readonly day: string;
  /** JSON, on one line. */
  readonly source: string;
  readonly spans: readonly Span[];
}

const CLOSING = '"}}\n';

/** Writes documents one behind the other until a request is full. */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #spare: Buffer[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #ends: number[] = [];
  #spans: (readonly Span[])[] = [];
  /** The last document's, while it has one. */
  #run: readonly [Span] | undefined;
  #sinceMs = 0;
  /** The opening is the same for all documents of a day. */
  #day = '';
  #opening = '';

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#length >= this.#options.capacity.bytes || this.#ends.length >= BATCH_DOCUMENTS;
  }

  get isEmpty(): boolean {
    return this.#ends.length === 0;
  }

  /** Documents that are not sealed yet. */
  get documents(): number {
    return this.#ends.length;
  }

  /** When the first document was added that is not sealed yet. */
  get sinceMs(): number | undefined {
    return this.isEmpty ? undefined : this.#sinceMs;
  }

  /** @returns what it counts against the budget. */
  add({ id, day, source, spans }: Document): number {
    if (this.isEmpty) this.#sinceMs = this.#options.now();
    const before = this.#length;
    const { opening } = this.#options;
    // As one, because each write costs as much as a hundred bytes.
    if (opening === undefined) this.#write(`${source}\n`);
    else this.#write(`${this.#openingOf(day, opening)}${id}${CLOSING}${source}\n`);
    this.#ends.push(this.#length);
    this.#spans.push(this.#joined(spans));
    return this.#length - before + DOCUMENT_OVERHEAD_BYTES;
  }

  /** The documents so far. */
  seal(): Batch {
    const body = this.#buffer.subarray(0, this.#length);
    // A few lines must not hold a whole buffer for as long as the server is down.
    const isSmall = this.#length * 4 < CAPACITY_BYTES;
    const batch = new Batch(isSmall ? Buffer.from(body) : body, this.#ends, this.#spans, { sinceMs: this.#sinceMs });
    if (!isSmall) this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    this.#ends = [];
    this.#spans = [];
    this.#run = undefined;
    return batch;
  }

  /** The batch is done with, and nobody looks at its bytes any more. */
  recycle({ body }: Batch): void {
    const { buffer, byteOffset } = body;
    if (buffer.byteLength !== CAPACITY_BYTES || byteOffset !== 0 || this.#spare.length >= SPARE_BUFFERS) return;
    this.#spare.push(Buffer.from(buffer));
  }

  /** Documents that follow each other share a span: thousands of small objects that wait are what the collector is slow with. */
  #joined(spans: readonly Span[]): readonly Span[] {
    const [span, second] = spans;
    if (span === undefined || second !== undefined) {
      this.#run = undefined;
      return spans;
    }
    const run = this.#run;
    if (run !== undefined && span.progress.join(run[0], span)) return run;
    return (this.#run = [span]);
  }

  #openingOf(day: string, opening: (day: string) => string): string {
    if (day !== this.#day) {
      this.#day = day;
      this.#opening = opening(day);
    }
    return this.#opening;
  }

  #write(text: string): void {
    // At most three bytes of UTF-8 for one unit of UTF-16: counted only where it may not fit.
    if (this.#length + text.length * 3 > this.#buffer.length) this.#makeRoom(Buffer.byteLength(text));
    this.#length += this.#buffer.write(text, this.#length);
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#buffer.length) return;
    const old = this.#buffer;
    this.#buffer = wanted <= CAPACITY_BYTES ? (this.#spare.pop() ?? newBuffer()) : Buffer.allocUnsafeSlow(wanted * 2);
    old.copy(this.#buffer, 0, 0, this.#length);
  }
}

function newBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(CAPACITY_BYTES);
}
