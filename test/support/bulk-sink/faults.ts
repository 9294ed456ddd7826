import { randomFrom } from '../random.ts';

/** Injected faults. A fault that is not set is disabled. */
export interface Faults {
  /** Every bulk request gets this status and has no effect: 503, 401, 404. */
  readonly status?: number;
  /** This fraction of the documents (0 to 1) get a 429. */
  readonly p429?: number;
  /** Documents with this text get a 400. */
  readonly poison?: string;
  /** Every document is answered with 400 index_closed_exception, as by a closed index. */
  readonly closedIndex?: boolean;
  /** Every document is answered with 403 cluster_block_exception, as on a disk above the flood stage. */
  readonly floodBlock?: boolean;
  /** Bulk requests are answered after this delay; documents are indexed before it. */
  readonly delayMs?: number;
  /** Bulk requests with a longer body get a 413. */
  readonly maxBytes?: number;
  /** Cuts the connection of every n-th bulk request, during the request or the reply. */
  readonly cutEvery?: number;
  /**
   * When the connection is cut. With `request` (the default) the request has no effect; with `reply` it took effect.
   */
  readonly cutIn?: 'request' | 'reply';
  /** The login `user:password` that bulk requests must have; others get a 401. */
  readonly login?: string;
  /** Every document is new, whatever its ID, as for a shipper without IDs. */
  readonly ignoreIds?: boolean;
}

/** The error for a document that is rejected. */
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

/** Selects what fails. With the same seed and order of documents, the same ones fail. */
export class Chance {
  readonly #random: () => number;
  #requests = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** Whether the connection of this bulk request is cut. Called once per request. */
  cuts({ cutEvery, cutIn = 'request' }: Faults): 'request' | 'reply' | undefined {
    this.#requests++;
    return cutEvery !== undefined && this.#requests % cutEvery === 0 ? cutIn : undefined;
  }

  /** The injected rejection of this document. It is checked before the document's ID. */
  refuses({ p429 = 0, poison, closedIndex, floodBlock }: Faults, source: Buffer): Refusal | undefined {
    if (closedIndex) return CLOSED;
    if (floodBlock) return BLOCKED;
    if (p429 > 0 && this.#random() < p429) return TOO_MANY;
    return poison !== undefined && source.includes(poison) ? POISON : undefined;
  }
}
