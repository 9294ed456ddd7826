import type { Log } from '../../core/log.ts';
import { range, type Batch } from '../batch/batch.ts';
import { errorFrom, objectsIn, reasonIn, UNANSWERED, type BulkReply, type ReplyError } from './bulk-reply.ts';
import type { Server } from './server.ts';
import type { Answer, DocumentOutcome } from './sink.ts';

type Bulk = (batch: Batch) => Promise<BulkReply>;
type Held = Extract<Answer, { is: 'held' }>;
/** The verdicts of documents that must not be sent now; undefined for others. */
type Lookup = readonly (DocumentOutcome | undefined)[];

/**
 * The backing indices of a data stream, in which documents are looked for that an earlier request may have indexed:
 * `create` recognizes an id only in the index that it writes to, and after a rollover that is another one.
 *
 *   a request without an answer, or lines that an earlier run may have sent (`Batch.indexGeneration`)
 *     -> GET NAME/_settings: the backing indices since the generation that was written to before that request
 *     -> POST INDEX/_mget for each: reads what is indexed, refreshed or not
 *     -> found: already indexed; found nowhere: sent; an index cannot tell: waits
 *
 * Nothing is asked while every request is answered.
 */
export class BackingIndices {
  /** The generation of the index in the last answer; 0 if unknown. */
  indexGeneration = 0;
  readonly #server: Server;
  readonly #name: string;
  readonly #log: Log;
  /** The length of the text before a document's ID. */
  readonly #idAt: number;
  #hasWarned = false;

  /** @param opening the text before a document's ID */
  constructor(server: Server, name: string, opening: string, log: Log) {
    this.#server = server;
    this.#name = name;
    this.#idAt = opening.length;
    this.#log = log;
  }

  /**
   * Sends those documents of a batch that are not indexed, and sets `batch.indexGeneration` while it is unknown which ones are.
   * Rejects as Server.ask().
   */
  async send(batch: Batch, bulk: Bulk, signal: AbortSignal): Promise<Answer> {
    if (batch.indexGeneration === undefined) return await this.#write(batch, bulk);
    const found = await this.#find(batch, batch.indexGeneration, signal);
    if ('is' in found) return found;
    const missing = range(batch).filter((at) => found[at] === undefined);
    if (missing.length === batch.count) return await this.#write(batch, bulk);
    const rest = batch.pick(missing);
    const answer = missing.length === 0 ? ALL_IN : await this.#write(rest, bulk);
    if (answer.is === 'held' || answer.is === 'too large') return answer;
    const sent = (answer.is === 'each' ? answer.verdicts : missing.map(() => IN)).values();
    const verdicts = found.map((verdict) => verdict ?? sent.next().value ?? UNANSWERED);
    if (!verdicts.some(isUnknown)) batch.indexGeneration = undefined;
    return { is: 'each', verdicts };
  }

  async #write(batch: Batch, bulk: Bulk): Promise<Answer> {
    batch.indexGeneration ??= this.indexGeneration;
    const reply = await bulk(batch);
    const { answer, index } = reply;
    // A pipeline may write to another data stream.
    if (index?.startsWith(`.ds-${this.#name}-`)) this.indexGeneration = generationOf(index) ?? this.indexGeneration;
    const isOpen = reply.isUnknown === true || (answer.is === 'each' && answer.verdicts.some(isUnknown));
    if (!isOpen) batch.indexGeneration = undefined;
    return answer;
  }

  /** @returns why the batch must wait, if the server does not answer now */
  async #find(batch: Batch, generation: number, signal: AbortSignal): Promise<Lookup | Held> {
    const verdicts: (DocumentOutcome | undefined)[] = Array.from({ length: batch.count });
    const indices = await this.#from(generation, signal);
    if ('is' in indices) return indices;
    for (const index of indices) {
      const left = range(batch).filter((at) => verdicts[at]?.is !== 'already');
      if (left.length === 0) break;
      const ids = left.map((at) => this.#idOf(batch.document(at)));
      const asked = { method: 'POST', path: `/${encodeURIComponent(index)}/_mget?${MGET_FIELDS}` };
      const { status, body } = await this.#server.ask({ ...asked, body: Buffer.from(JSON.stringify({ ids })) }, signal);
      if (isForNow(status)) return heldBy(index, status, body);
      const docs = status === 200 ? docsIn(body) : [];
      if (docs.length !== left.length) {
        this.#warn(`status ${status}: ${reasonIn(body.toString())}`);
        continue;
      }
      for (const [nth, at] of left.entries()) verdicts[at] = this.#verdictOf(docs[nth]!, index) ?? verdicts[at];
    }
    return verdicts;
  }

  /** The backing indices from this generation on, and those without one. */
  async #from(generation: number, signal: AbortSignal): Promise<readonly string[] | Held> {
    const path = `/${encodeURIComponent(this.#name)}/_settings/index.uuid?expand_wildcards=all`;
    const { status, body } = await this.#server.ask({ method: 'GET', path }, signal);
    if (isForNow(status)) return heldBy(this.#name, status, body);
    const text = body.toString();
    if (status === 404 && text.includes('index_not_found_exception')) return [];
    const names = status === 200 ? namesIn(text) : [];
    if (names.length === 0) this.#warn(`status ${status}: ${reasonIn(text)}`);
    return names.filter((name) => (generationOf(name) ?? Infinity) >= generation);
  }

  #idOf(document: Buffer): string {
    return document.toString('latin1', this.#idAt, document.indexOf(QUOTE, this.#idAt));
  }

  #verdictOf({ isFound, error }: Doc, index: string): DocumentOutcome | undefined {
    if (isFound) return { is: 'already' };
    if (error === undefined || error.type === 'index_not_found_exception') return undefined;
    if (error.type === 'security_exception') {
      this.#warn(`${error.type}: ${error.reason}`);
      return undefined;
    }
    const reason = `${index} cannot tell whether it has them (${error.type}: ${error.reason}): open, restore or delete it`;
    return { is: 'again', reason, isUnknown: true };
  }

  #warn(reason: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn(
      `cannot look for sent documents in ${this.#name}: ${reason}; after a lost connection or a restart, a document ` +
        'is indexed twice if the data stream was rolled over meanwhile. The user needs read and view_index_metadata ' +
        '(OpenSearch: read and indices_monitor)',
    );
  }
}

const QUOTE = 34;

const ALL_IN: Answer = { is: 'all in' };
const IN: DocumentOutcome = { is: 'in' };

function isUnknown(verdict: DocumentOutcome): boolean {
  return verdict.is === 'again' && verdict.isUnknown === true;
}

const MGET_FIELDS = '_source=false&filter_path=docs.found,docs.error.type,docs.error.reason';

interface Doc {
  readonly isFound: boolean;
  readonly error: ReplyError | undefined;
}

function docsIn(body: Buffer): readonly Doc[] {
  return objectsIn(body.toString(), 'docs').map(({ found, error }) => ({
    isFound: found === true,
    error: errorFrom(error),
  }));
}

function namesIn(text: string): string[] {
  const indices = (jsonIn(text) ?? {}) as Readonly<Record<string, { settings?: unknown } | null>>;
  return Object.entries(indices).flatMap(([name, index]) => (index?.settings === undefined ? [] : [name]));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page
  }
}

/** The number at the end of `.ds-NAME-2026.11.27-000007`, which `shrink-` and `partial-` indices keep. */
function generationOf(index: string): number | undefined {
  const digits = /-(\d{6,})$/.exec(index)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether the same request may succeed later. */
function isForNow(status: number): boolean {
  return status >= 500 || status === 429 || status === 408 || status === 401;
}

function heldBy(what: string, status: number, body: Buffer): Held {
  const reason = `${what} cannot tell which documents it has: status ${status}: ${reasonIn(body.toString())}`;
  return { is: 'held', reason, because: status === 429 ? 'busy' : undefined };
}
