import type { Span } from '../read/progress.ts';

/** What a document takes in memory beside its bytes: its spans and their marks. */
export const DOCUMENT_OVERHEAD_BYTES = 200;

/**
 * Documents as the body of a request. They are kept encoded: outside the JavaScript heap they cost what they weigh, and
 * a second try copies nothing.
 */
export class Batch {
  /** Each document with its newlines, one behind the other. */
  readonly body: Buffer;
  /** How often it was sent. */
  tries: number;
  /** When its first document was read, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Where each document ends in the body. */
  readonly #ends: readonly number[];
  readonly #spans: readonly (readonly Span[])[];

  constructor(
    body: Buffer,
    ends: readonly number[],
    spans: readonly (readonly Span[])[],
    { sinceMs, tries = 0 }: { readonly sinceMs: number; readonly tries?: number },
  ) {
    this.body = body;
    this.#ends = ends;
    this.#spans = spans;
    this.sinceMs = sinceMs;
    this.tries = tries;
  }

  /** How many documents. */
  get count(): number {
    return this.#ends.length;
  }

  /** What it counts against the budget. */
  get weight(): number {
    return this.body.length + this.count * DOCUMENT_OVERHEAD_BYTES;
  }

  /** One document's bytes: what the sink puts before it, and its JSON. */
  document(at: number): Buffer {
    return this.body.subarray(this.#beginOf(at), this.#ends[at]);
  }

  /** Where its lines lie. */
  spans(at: number): readonly Span[] {
    return this.#spans[at] ?? [];
  }

  /** Some of its documents in a row, on the same bytes. */
  part(from: number, to: number): Batch {
    const begin = this.#beginOf(from);
    const body = this.body.subarray(begin, this.#ends[to - 1]);
    const ends = this.#ends.slice(from, to).map((end) => end - begin);
    return new Batch(body, ends, this.#spans.slice(from, to), this);
  }

  /** Some of its documents for another try, on bytes of their own, so that the others' memory is free. */
  pick(documents: readonly number[]): Batch {
    let length = 0;
    const ends = documents.map((at) => (length += this.document(at).length));
    const body = Buffer.concat(
      documents.map((at) => this.document(at)),
      length,
    );
    const spans = documents.map((at) => this.spans(at));
    return new Batch(body, ends, spans, { sinceMs: this.sinceMs, tries: this.tries });
  }

  #beginOf(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
  }
}

/** Two as one, on bytes of their own. */
export function joined(a: Batch, b: Batch): Batch {
  const both = [a, b];
  const bodies = both.map(({ body }) => body);
  const ends = [...range(a).map((at) => endOf(a, at)), ...range(b).map((at) => a.body.length + endOf(b, at))];
  const spans = both.flatMap((batch) => range(batch).map((at) => batch.spans(at)));
  const tries = Math.max(a.tries, b.tries);
  return new Batch(Buffer.concat(bodies), ends, spans, { sinceMs: Math.min(a.sinceMs, b.sinceMs), tries });
}

function range({ count }: Batch): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function endOf(batch: Batch, at: number): number {
  const { byteOffset, length } = batch.document(at);
  return byteOffset + length - batch.body.byteOffset;
}
