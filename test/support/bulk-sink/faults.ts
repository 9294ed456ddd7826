import { randomFrom } from '../random.ts';

/** What a sink does wrong. What is not named it does right. */
export interface Faults {
  /** Every bulk request is answered with this status, and nothing of it taken: 503, 401, 404. */
  readonly status?: number;
  /** This share of the documents (0 to 1) is answered with 429 each. */
  readonly p429?: number;
  /** A document with this text in it is answered with 400. */
  readonly poison?: string;
  /** Every document is answered with 400 index_closed_exception, as by a closed index. */
  readonly closedIndex?: boolean;
  /** Every document is answered with 403 cluster_block_exception, as on a disk above the flood stage. */
  readonly floodBlock?: boolean;
  /** Bulk requests are answered that much later. What is in is in before. */
  readonly delayMs?: number;
  /** Bulk requests with longer bodies are answered with 413. */
  readonly maxBytes?: number;
  /** Each so many-th bulk request's connection is cut off, in the midst of the request or of the reply. */
  readonly cutEvery?: number;
  /** Default `request`, which is then not taken. Of a cut `reply` the request was taken. */
  readonly cutIn?: 'request' | 'reply';
  /** `user:password` that bulk requests must log in with; others are answered with 401. */
  readonly login?: string;
  /** Every document is a new one, whatever its id: what a shipper without ids would make of it. */
  readonly ignoreIds?: boolean;
}

/** What a document is refused with. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly reason: string;
}

const TOO_MANY: Refusal = {
  status: 429,
  type: 'es_rejected_execution_exception',
  reason: 'rejected execution of coordinating operation',
};
const POISON: Refusal = {
  status: 400,
  type: 'document_parsing_exception',
  reason: "[1:87] failed to parse field [Pid] of type [long] in document with id 'sink'",
};
const CLOSED: Refusal = { status: 400, type: 'index_closed_exception', reason: 'closed' };
const BLOCKED: Refusal = {
  status: 403,
  type: 'cluster_block_exception',
  reason: 'index blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];',
};
export const MALFORMED: Refusal = { status: 400, type: 'document_parsing_exception', reason: 'not JSON' };
export const CONFLICT: Refusal = {
  status: 409,
  type: 'version_conflict_engine_exception',
  reason: 'version conflict, document already exists (current version [1])',
};

/** Decides who fails. The same seed and the same order of documents fail the same ones. */
export class Chance {
  readonly #random: () => number;
  #requests = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** Whether this bulk request's connection is cut. Asked once a request. */
  cuts({ cutEvery, cutIn = 'request' }: Faults): 'request' | 'reply' | undefined {
    this.#requests++;
    return cutEvery !== undefined && this.#requests % cutEvery === 0 ? cutIn : undefined;
  }

  /** Why this document is refused, before anybody looks whether it is there already. */
  refuses({ p429 = 0, poison, closedIndex, floodBlock }: Faults, source: Buffer): Refusal | undefined {
    if (closedIndex) return CLOSED;
    if (floodBlock) return BLOCKED;
    if (p429 > 0 && this.#random() < p429) return TOO_MANY;
    return poison !== undefined && source.includes(poison) ? POISON : undefined;
  }
}
