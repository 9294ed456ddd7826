import { Span } from '../position/progress.ts';

/** Memory that a document uses in addition to its bytes, for its spans and marks. */
export const DOCUMENT_OVERHEAD_BYTES = 200;
const NEWLINE = 10;

/** The positions of consecutive documents: more than one span only for a document whose lines a rotation has parted. */
export interface DocumentRange {
  spans: readonly Span[];
  /** Number of documents. */
  count: number;
}

/** How documents are divided. */
interface Content {
  readonly places: readonly DocumentRange[];
  readonly count: number;
  /** Number of lines that a document has in the body: its JSON, and what the sink puts before it. */
  readonly linesEach: number;
  readonly sinceMs: number;
  readonly tries?: number;
  readonly indexGeneration?: number | undefined;
}

/**
 * Documents that form the body of a request. They stay encoded: outside the JavaScript heap they need no extra memory,
 * and a retry copies nothing. Where each ends is found only when documents of a request part ways.
 */
export class Batch {
  /** The documents, each with its newline, concatenated. */
  readonly body: Buffer;
  /** Number of documents. */
  readonly count: number;
  readonly places: readonly DocumentRange[];
  readonly linesEach: number;
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
  #ends: number[] | undefined;
  /** The place of each document. */
  #placeOf: DocumentRange[] | undefined;

  constructor(body: Buffer, { places, count, linesEach, sinceMs, tries = 0, indexGeneration }: Content) {
    this.body = body;
    this.places = places;
    this.count = count;
    this.linesEach = linesEach;
    this.sinceMs = sinceMs;
    this.tries = tries;
    this.indexGeneration = indexGeneration;
  }

  /** The batch's size in the budget. */
  get weight(): number {
    return this.body.length + this.count * DOCUMENT_OVERHEAD_BYTES;
  }

  /** The bytes of one document: the sink's prefix and its JSON. */
  document(at: number): Buffer {
    return this.body.subarray(this.#endOf(at - 1), this.#endOf(at));
  }

  /** The positions of a document's lines in its files. */
  spans(at: number): readonly Span[] {
    this.#placeOf ??= this.places.flatMap((place) => Array.from({ length: place.count }, () => place));
    return this.#placeOf[at]?.spans ?? [];
  }

  /** A range of the documents, which shares the memory of this batch. */
  part(from: number, to: number): Batch {
    const body = this.body.subarray(this.#endOf(from - 1), this.#endOf(to - 1));
    const places: DocumentRange[] = [];
    let at = 0;
    for (const { spans, count } of this.places) {
      const within = Math.min(to, at + count) - Math.max(from, at);
      if (within > 0) places.push({ spans, count: within });
      at += count;
    }
    return new Batch(body, { ...this.#rest, places, count: to - from });
  }

  /** The selected documents, for a retry. Their bytes are copied, so that the memory of the others is freed. */
  pick(documents: readonly number[]): Batch {
    const body = Buffer.concat(documents.map((at) => this.document(at)));
    const places = documents.map((at) => ({ spans: this.spans(at), count: 1 }));
    return new Batch(body, { ...this.#rest, places, count: documents.length });
  }

  get #rest(): Pick<Content, 'linesEach' | 'sinceMs' | 'tries' | 'indexGeneration'> {
    const { linesEach, sinceMs, tries, indexGeneration } = this;
    return { linesEach, sinceMs, tries, indexGeneration };
  }

  #endOf(at: number): number {
    if (at < 0) return 0;
    this.#ends ??= endsIn(this.body, this.linesEach);
    return this.#ends[at] ?? this.body.length;
  }
}

function endsIn(body: Buffer, linesEach: number): number[] {
  const ends: number[] = [];
  let [line, end] = [0, body.indexOf(NEWLINE)];
  for (; end !== -1; end = body.indexOf(NEWLINE, end + 1)) if (++line % linesEach === 0) ends.push(end + 1);
  return ends;
}

/** Merges two batches. The bytes are copied. */
export function joined(a: Batch, b: Batch): Batch {
  return new Batch(Buffer.concat([a.body, b.body]), {
    places: [...a.places, ...b.places],
    count: a.count + b.count,
    linesEach: a.linesEach,
    sinceMs: Math.min(a.sinceMs, b.sinceMs),
    tries: Math.max(a.tries, b.tries),
    indexGeneration: earliest([a, b]),
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
