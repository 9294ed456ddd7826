import { CLOSING, type DocumentWriter, type LineEvent } from './document-writer.ts';
import { Span, type Progress } from '../position/progress.ts';
import type { Capacity } from './limits.ts';

/** Memory that a document uses in addition to its bytes, for its spans and marks. */
const DOCUMENT_OVERHEAD_BYTES = 200;

/** The positions of a document's lines: more than one span if a rotation occurred between them. */
type Place = Span | readonly Span[];

/**
 * Documents that form the body of a request. They stay encoded: outside the JavaScript heap they need no extra memory,
 * and a retry copies nothing.
 */
export class Batch {
  /** The documents, each with its newline, concatenated. */
  readonly body: Buffer;
  /** Number of attempts so far. */
  tries: number;
  /** When the first document was read, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /**
   * Set while an attempt may have indexed documents without an answer: the earliest generation of the target that may
   * have them.
   */
  indexGeneration: number | undefined;
  /** The end offset of each document in the body. */
  readonly #ends: readonly number[];
  readonly #places: readonly Place[];

  constructor(
    body: Buffer,
    ends: readonly number[],
    places: readonly Place[],
    { sinceMs, tries = 0, indexGeneration }: { sinceMs: number; tries?: number; indexGeneration?: number | undefined },
  ) {
    this.body = body;
    this.#ends = ends;
    this.#places = places;
    this.sinceMs = sinceMs;
    this.tries = tries;
    this.indexGeneration = indexGeneration;
  }

  /** Number of documents. */
  get count(): number {
    return this.#ends.length;
  }

  /** The batch's size in the budget. */
  get weight(): number {
    return this.body.length + this.count * DOCUMENT_OVERHEAD_BYTES;
  }

  /** The bytes of one document: the sink's prefix and its JSON. */
  document(at: number): Buffer {
    return this.body.subarray(this.#beginOf(at), this.#ends[at]);
  }

  /** The positions of a document's lines in its files. */
  spans(at: number): readonly Span[] {
    const place = this.#places[at] ?? [];
    return place instanceof Span ? [place] : place;
  }

  /** A range of the documents, which shares the memory of this batch. */
  part(from: number, to: number): Batch {
    const begin = this.#beginOf(from);
    const body = this.body.subarray(begin, this.#ends[to - 1]);
    const ends = this.#ends.slice(from, to).map((end) => end - begin);
    return new Batch(body, ends, this.#places.slice(from, to), this);
  }

  /** The selected documents, for a retry. Their bytes are copied, so that the memory of the others is freed. */
  pick(documents: readonly number[]): Batch {
    let length = 0;
    const ends = documents.map((at) => (length += this.document(at).length));
    const body = Buffer.concat(
      documents.map((at) => this.document(at)),
      length,
    );
    const spans = documents.map((at) => this.spans(at));
    return new Batch(body, ends, spans, this);
  }

  #beginOf(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
  }
}

/** Merges two batches. The bytes are copied. */
export function joined(a: Batch, b: Batch): Batch {
  const both = [a, b];
  const bodies = both.map(({ body }) => body);
  const ends = [...range(a).map((at) => endOf(a, at)), ...range(b).map((at) => a.body.length + endOf(b, at))];
  const spans = both.flatMap((batch) => range(batch).map((at) => batch.spans(at)));
  const tries = Math.max(a.tries, b.tries);
  const indexGeneration = earliest(both);
  return new Batch(Buffer.concat(bodies), ends, spans, {
    sinceMs: Math.min(a.sinceMs, b.sinceMs),
    tries,
    indexGeneration,
  });
}

/** The earliest generation that documents of these batches may have been indexed in, if any may have been. */
export function earliest(batches: readonly Pick<Batch, 'indexGeneration'>[]): number | undefined {
  const all = batches.flatMap(({ indexGeneration }) => indexGeneration ?? []);
  return all.length === 0 ? undefined : Math.min(...all);
}

/** The indexes of all documents of a batch. */
export function range({ count }: Batch): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function endOf(batch: Batch, at: number): number {
  const { byteOffset, length } = batch.document(at);
  return byteOffset + length - batch.body.byteOffset;
}

const NEWLINE = 10;
/** Maximum size of a request: about two thousand ordinary lines, and nginx's default limit. */
export const CAPACITY_BYTES = 1024 * 1024;
const BATCH_DOCUMENTS = 2000;
/** Buffers that are kept for reuse. */
const SPARE_BUFFERS = 4;

interface BatcherOptions {
  /** The text before and after a document's ID, for its day in UTC (`2026-11-20`); undefined if IDs are not sent. */
  readonly opening: ((day: string) => string) | undefined;
  readonly capacity: Capacity;
  readonly now: () => number;
  /** Writes documents from bytes into a buffer of its memory. */
  readonly writer?: { readonly lines: DocumentWriter; readonly buffer: Buffer } | undefined;
}

/** An event to be sent. */
interface Document {
  readonly id: string;
  /** The event's day in UTC: `2026-11-20`. */
  readonly day: string;
  /** The event's JSON, on one line. */
  readonly source: string;
  readonly spans: readonly Span[];
}

/** Collects documents until a request is full. */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #spare: Buffer[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #ends: number[] = [];
  #places: Place[] = [];
  #sinceMs = 0;
  /** As in the batch that is being filled. Set it if an earlier run may have sent one of its documents. */
  indexGeneration: number | undefined;
  /** Documents of the same day share this text. */
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

  /** Number of documents that are not sealed yet. */
  get documents(): number {
    return this.#ends.length;
  }

  /** When the first document that is not sealed was added. */
  get sinceMs(): number | undefined {
    return this.isEmpty ? undefined : this.#sinceMs;
  }

  /** @returns the document's size in the budget */
  add({ id, day, source, spans }: Document): number {
    const before = this.#length;
    const { opening } = this.#options;
    // A single write, since each one costs as much as a hundred bytes.
    if (opening === undefined) this.#write(`${source}\n`);
    else this.#write(`${this.#openingOf(day, opening)}${id}${CLOSING}${source}\n`);
    return this.#added(before, spans);
  }

  /**
   * Adds an event of one line from its bytes.
   * @returns the document's size in the budget; 0 if the event must be converted to a string
   */
  addLine(event: LineEvent & { readonly spans: readonly Span[] }): number {
    const { writer } = this.#options;
    const room = writer?.lines.roomFor(event) ?? 0;
    if (writer === undefined || room === 0) return 0;
    if (this.#length + room > this.#buffer.length) this.#makeRoom(room);
    const before = this.#length;
    const end = writer.lines.write(this.#buffer, before, event);
    if (end === 0) return 0;
    this.#buffer[end] = NEWLINE;
    this.#length = end + 1;
    return this.#added(before, event.spans);
  }

  #added(before: number, spans: readonly Span[]): number {
    if (this.isEmpty) this.#sinceMs = this.#options.now();
    this.#ends.push(this.#length);
    const [span] = spans;
    if (span !== undefined && spans.length === 1) {
      span.isFilled = true;
      const former = this.#places.at(-1);
      const isJoined = former instanceof Span && former.progress.join(former, span);
      this.#places.push(isJoined ? former : span);
    } else this.#places.push(spans);
    return this.#length - before + DOCUMENT_OVERHEAD_BYTES;
  }

  /** Seals the batch with the documents added so far. */
  seal(): Batch {
    const body = this.#buffer.subarray(0, this.#length);
    // A few lines must not occupy a whole buffer during an outage.
    const isSmall = this.#length * 4 < CAPACITY_BYTES;
    const isShared = this.#buffer === this.#options.writer?.buffer;
    const kept = isSmall ? Buffer.from(body) : isShared ? this.#copied(body) : body;
    const batch = new Batch(kept, this.#ends, merged(this.#places), {
      sinceMs: this.#sinceMs,
      indexGeneration: this.indexGeneration,
    });
    this.indexGeneration = undefined;
    if (!isSmall && !isShared) this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    this.#ends = [];
    this.#places = [];
    return batch;
  }

  /** Called when the batch is settled and its bytes are no longer read. */
  recycle({ body }: Batch): void {
    const { buffer, byteOffset } = body;
    if (buffer.byteLength !== CAPACITY_BYTES || byteOffset !== 0 || this.#spare.length >= SPARE_BUFFERS) return;
    this.#spare.push(Buffer.from(buffer));
  }

  #copied(body: Buffer): Buffer {
    const copy = this.#spare.pop() ?? newBuffer();
    return copy.subarray(0, body.copy(copy));
  }

  #openingOf(day: string, opening: (day: string) => string): string {
    if (day !== this.#day) {
      this.#day = day;
      this.#opening = opening(day);
    }
    return this.#opening;
  }

  #write(text: string): void {
    // A UTF-16 unit needs at most three bytes of UTF-8: counted exactly only if it might not fit.
    if (this.#length + text.length * 3 > this.#buffer.length) this.#makeRoom(Buffer.byteLength(text));
    this.#length += this.#buffer.write(text, this.#length);
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#buffer.length) return;
    const old = this.#buffer;
    if (wanted > CAPACITY_BYTES) this.#buffer = Buffer.allocUnsafeSlow(wanted * 2);
    else this.#buffer = this.#options.writer?.buffer ?? this.#spare.pop() ?? newBuffer();
    old.copy(this.#buffer, 0, 0, this.#length);
  }
}

/** The places of a complete request: neighbors share a span. */
function merged(places: readonly Place[]): Place[] {
  const files = new Set<Progress>();
  for (const place of places) if (place instanceof Span) files.add(place.progress);
  for (const progress of files) progress.merge();
  return places.map((place) => (place instanceof Span ? (place.into ?? place) : place));
}

function newBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(CAPACITY_BYTES);
}
