import type { LogEvent } from '../event/event.ts';
import { documentId } from '../position/generation.ts';
import type { Progress, Span } from '../position/progress.ts';
import type { Block } from '../tables/scanner.ts';
import { Batch, DOCUMENT_OVERHEAD_BYTES, type DocumentRange } from './batch.ts';
import type { Capacity } from './limits.ts';

/** Maximum size of a request: about two thousand ordinary lines, and nginx's default limit. */
export const CAPACITY_BYTES = 1024 * 1024;
const BATCH_DOCUMENTS = 2000;
/** Buffers that are kept for reuse. */
const SPARE_BUFFERS = 4;
/** How far a request of lines in bulk may exceed the target: an ordinary document, as the target itself allows. */
const EXCESS_BYTES = 16 * 1024;
/** Days whose openings a scan knows. */
const DAYS = 4;
const DAY_MS = 86_400_000;
/** After this time without a request, the memory for requests is freed. */
const REST_MS = 3000;
const NO_BYTES = Buffer.alloc(0);
const NEWLINE = 10;
/** The text after an ID. */
const CLOSING = '"}}\n';

interface BatcherOptions {
  /** The text before and after a document's ID, for its day in UTC (`2026-11-20`); undefined if IDs are not sent. */
  readonly opening: ((day: string) => string) | undefined;
  readonly capacity: Pick<Capacity, 'bytes'>;
  readonly now: () => number;
}

type Openings = NonNullable<Block['openings']>;

/** Collects documents until a request is full. */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #spare: Buffer[] = [];
  #buffer: Buffer = NO_BYTES;
  #length = 0;
  #documents = 0;
  #places: DocumentRange[] = [];
  #sinceMs = 0;
  #openings: Openings = [];
  /** As in the batch that is being filled. Set it if an earlier run may have sent one of its documents. */
  indexGeneration: number | undefined;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#length >= this.#options.capacity.bytes || this.#documents >= BATCH_DOCUMENTS;
  }

  get isEmpty(): boolean {
    return this.#documents === 0;
  }

  /** Number of documents that are not sealed yet. */
  get documents(): number {
    return this.#documents;
  }

  /** When the first document that is not sealed was added. */
  get sinceMs(): number | undefined {
    return this.isEmpty ? undefined : this.#sinceMs;
  }

  /** @returns the document's size in the budget */
  add({ content, offset, text, timeMs, isDated, spans }: LogEvent): number {
    const before = this.#length;
    if (this.#options.opening !== undefined) {
      const { bytes } = this.#openingOf(Math.floor(timeMs / DAY_MS));
      const id = `${documentId(content.generation, offset, text)}${CLOSING}`;
      this.#makeRoom(bytes.length + id.length);
      this.#length += bytes.copy(this.#buffer, this.#length);
      this.#length += this.#buffer.write(id, this.#length);
    }
    const { table } = content.format;
    for (let room = 2 * text.length; ; room *= 2) {
      this.#makeRoom(room + 1);
      const end = table.document(this.#buffer, this.#length, text, timeMs, isDated);
      // The last byte is for the newline.
      if (end === 0 || end === this.#buffer.length) continue;
      this.#buffer[end] = NEWLINE;
      this.#length = end + 1;
      return this.#added(before, spans, 1);
    }
  }

  /** Sets where a scan writes its next documents. */
  room(block: Pick<Block, 'into' | 'filled' | 'most' | 'openings'>): void {
    this.#makeRoom(1);
    // The target may have been lowered below what is filled: then there is no room, and the request is sent.
    const most = Math.max(this.#length, this.#options.capacity.bytes + EXCESS_BYTES);
    block.into = this.#buffer.subarray(0, Math.min(this.#buffer.length, most));
    block.filled = this.#length;
    block.most = BATCH_DOCUMENTS - this.#documents;
    block.openings = this.#options.opening === undefined ? undefined : this.#openings;
  }

  /** Makes the opening of a day known to scans. */
  enterDay(day: number): void {
    this.#openingOf(day);
  }

  /**
   * Adds the documents that a scan has written.
   * @returns their size in the budget
   */
  addBlock({ filled, documents }: Block, span: Span): number {
    const before = this.#length;
    this.#length = filled;
    return this.#added(before, [span], documents);
  }

  #added(before: number, spans: readonly Span[], documents: number): number {
    if (this.isEmpty) this.#sinceMs = this.#options.now();
    this.#documents += documents;
    const [span] = spans;
    const former = this.#places.at(-1);
    if (span !== undefined && spans.length === 1) span.isFilled = true;
    if (isJoined(former, spans)) former.count += documents;
    else this.#places.push({ spans, count: documents });
    return this.#length - before + documents * DOCUMENT_OVERHEAD_BYTES;
  }

  /** Seals the batch with the documents added so far. */
  seal(): Batch {
    const body = this.#buffer.subarray(0, this.#length);
    // A few lines must not occupy a whole buffer during an outage.
    const isSmall = this.#length * 4 < CAPACITY_BYTES;
    const batch = new Batch(isSmall ? Buffer.from(body) : body, {
      places: merged(this.#places),
      count: this.#documents,
      linesEach: this.#options.opening === undefined ? 1 : 2,
      sinceMs: this.#sinceMs,
      indexGeneration: this.indexGeneration,
    });
    this.indexGeneration = undefined;
    if (!isSmall) this.#buffer = NO_BYTES;
    this.#length = 0;
    this.#documents = 0;
    this.#places = [];
    return batch;
  }

  /** Called when the batch is settled and its bytes are no longer read. */
  recycle({ body }: Batch): void {
    const { buffer, byteOffset } = body;
    if (buffer.byteLength !== CAPACITY_BYTES || byteOffset !== 0 || this.#spare.length >= SPARE_BUFFERS) return;
    this.#spare.push(Buffer.from(buffer));
  }

  /** Frees the memory for requests if none was begun for a while. */
  rest(): void {
    if (!this.isEmpty || Math.abs(this.#options.now() - this.#sinceMs) < REST_MS) return;
    this.#spare.length = 0;
    this.#buffer = NO_BYTES;
  }

  #openingOf(day: number): Openings[number] {
    const known = this.#openings.find((each) => each.day === day);
    if (known !== undefined) return known;
    const text = this.#options.opening!(new Date(day * DAY_MS).toISOString().slice(0, 10));
    const made = { day, bytes: Buffer.from(text) };
    this.#openings = [made, ...this.#openings.slice(0, DAYS - 1)];
    return made;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#buffer.length) return;
    const old = this.#buffer;
    if (wanted > CAPACITY_BYTES) this.#buffer = Buffer.allocUnsafeSlow(wanted * 2);
    else this.#buffer = this.#spare.pop() ?? Buffer.allocUnsafeSlow(CAPACITY_BYTES);
    old.copy(this.#buffer, 0, 0, this.#length);
  }
}

/** Whether the documents' positions are now part of those before them. */
function isJoined(former: DocumentRange | undefined, spans: readonly Span[]): former is DocumentRange {
  const [span] = spans;
  const [before] = former?.spans ?? [];
  if (span === undefined || before === undefined || spans.length > 1 || former!.spans.length > 1) return false;
  return before.progress.join(before, span);
}

/** The places of a complete request: neighbors share a span. */
function merged(places: readonly DocumentRange[]): DocumentRange[] {
  const files = new Set<Progress>();
  for (const { spans } of places) if (spans.length === 1) files.add(spans[0]!.progress);
  for (const progress of files) progress.merge();
  return places.map(({ spans, count }) => ({ spans: spans.map((span) => span.into ?? span), count }));
}
