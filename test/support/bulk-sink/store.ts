import { CONFLICT, MALFORMED, type Refusal } from './faults.ts';

export interface Counts {
  /** Number of complete bulk requests, including rejected ones. */
  readonly requests: number;
  /** Total size of their bodies, as they were sent. */
  readonly bytes: number;
  /** Number of accepted documents: answered with 201, or with 200 if one was overwritten. */
  readonly documents: number;
  /** Number of distinct IDs per index among them. Documents without an ID do not count. */
  readonly distinct: number;
  /** Number of documents that existed already: answered with 409. */
  readonly conflicts: number;
  readonly rejected429: number;
  readonly rejected400: number;
  readonly rejected403: number;
  /** When the first bulk request with an accepted document arrived, in milliseconds since the epoch; 0 if none has. */
  readonly firstMs: number;
  /** When the last one arrived. */
  readonly lastMs: number;
}

export interface Numbers {
  readonly missing: readonly number[];
  readonly doubled: readonly number[];
}

export interface Action {
  readonly op: 'create' | 'index';
  readonly index: string;
  readonly id: string | undefined;
}

type Stored = { source: string } & Action;

const NUMBER = /seq=(\d+)/g;

/** Documents by index, each of which has its own IDs. */
export class Store {
  readonly #byId = new Map<string, Stored>();
  readonly #withoutId: Stored[] = [];
  readonly #counts = {
    requests: 0,
    bytes: 0,
    documents: 0,
    distinct: 0,
    conflicts: 0,
    rejected429: 0,
    rejected400: 0,
    rejected403: 0,
    firstMs: 0,
    lastMs: 0,
  };

  get counts(): Counts {
    return { ...this.#counts, distinct: this.#byId.size };
  }

  /** Counts a complete bulk request. */
  request(bytes: number): void {
    this.#counts.requests++;
    this.#counts.bytes += bytes;
  }

  /** Counts accepted documents. */
  taken(documents: number): void {
    if (documents === 0) return;
    this.#counts.documents += documents;
    this.#counts.lastMs = performance.timeOrigin + performance.now();
    this.#counts.firstMs ||= this.#counts.lastMs;
  }

  /**
   * Stores the document unless its ID exists.
   * @returns the rejection
   */
  put(action: Action, source: string): Refusal | undefined {
    if (!isObject(source)) return MALFORMED;
    const stored = { ...action, source };
    if (action.id === undefined) {
      this.#withoutId.push(stored);
    } else {
      const key = `${action.index} ${action.id}`;
      if (action.op === 'create' && this.#byId.has(key)) return CONFLICT;
      this.#byId.set(key, stored);
    }
    this.taken(1);
    return undefined;
  }

  refused({ status }: Refusal): void {
    if (status === 409) this.#counts.conflicts++;
    if (status === 429) this.#counts.rejected429++;
    if (status === 400) this.#counts.rejected400++;
    if (status === 403) this.#counts.rejected403++;
  }

  numbers(count: number): Numbers {
    const seen = new Uint32Array(count);
    for (const { source } of this.#all())
      for (const [, digits] of source.matchAll(NUMBER)) {
        const number = Number(digits);
        if (number < count) seen[number]!++;
      }
    const where = (is: (times: number) => boolean) => [...seen.keys()].filter((number) => is(seen[number]!));
    return { missing: where((times) => times === 0), doubled: where((times) => times > 1) };
  }

  documents(): object[] {
    return [...this.#all()].map(({ index, id, source }) => ({
      _index: index,
      _id: id,
      _source: JSON.parse(source) as unknown,
    }));
  }

  *#all(): Generator<Stored> {
    yield* this.#byId.values();
    yield* this.#withoutId;
  }
}

function isObject(source: string): boolean {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
