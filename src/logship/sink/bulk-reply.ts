import { isMapping } from '../../core/mapping.ts';
import { oneLine } from '../../core/one-line.ts';
import type { Answer, DocumentOutcome } from './sink.ts';

/**
 * The fields needed for verdicts, as a filter of the response: a full reply costs more to parse than the request to
 * build. A failure store is named only where one was used.
 */
export const BULK_FIELDS =
  'errors,items.*.status,items.*.failure_store,items.*.error.type,items.*.error.reason,items.*.error.caused_by';

interface Item {
  readonly index: string | undefined;
  readonly status: unknown;
  /** Whether the document is not in its index but in the failure store of its data stream. */
  readonly isInFailureStore: boolean;
  readonly error: ReplyError | undefined;
}

/** Why a document is not in its index. */
export interface ReplyError {
  readonly type: string;
  readonly reason: string;
  readonly cause: string | undefined;
}

/** The meaning of a reply to a bulk request. */
export interface BulkReply {
  readonly answer: Answer;
  /** The index of the last document that is indexed, if the reply names indices. */
  readonly index?: string | undefined;
  /** Set if the reply does not tell whether anything was indexed: it is a proxy's, or the server lost its own connection. */
  readonly isUnknown?: boolean;
}

/**
 * Parses the server's reply to a bulk request. Only a document whose own status says that it was created is indexed:
 * `errors` is false too if a pipeline dropped it or a failure store has it, and another server answers 200 with its page.
 * @param body response body. If it is not a bulk reply, it came from another server, and all documents wait
 * @param hint the fix for a response status
 */
export function readBulkReply(
  status: number,
  body: Buffer,
  documents: number,
  hint: (status: number) => string = () => '',
): BulkReply {
  if (status === 413) return { answer: { is: 'too large' } };
  if (status !== 200) {
    const reason = `status ${status}: ${reasonIn(body.toString())}${hint(status)}`;
    const because = status === 429 ? 'busy' : undefined;
    return { answer: { is: 'held', reason, because }, isUnknown: status >= 500 || status === 408 };
  }
  const alike = allAlike(body, documents);
  if (alike !== undefined && isIn(alike)) return { answer: { is: 'all in' }, index: alike.index };
  const text = body.toString();
  const items = itemsIn(text);
  if (items.length !== documents) {
    const reason = `not a bulk reply: ${oneLine(text.slice(0, 200))}`;
    return { answer: { is: 'held', reason }, isUnknown: true };
  }
  const index = items.findLast((item) => item !== undefined && isIn(item))?.index;
  return { answer: { is: 'each', verdicts: items.map((item) => verdictOf(item, hint)) }, index };
}

const START = '{"errors":false,"items":[';

/**
 * The item that a reply consists of, repeated for each document. This is a single comparison; to parse all items would
 * double the cost of a batch.
 */
function allAlike(body: Buffer, documents: number): Item | undefined {
  const from = START.length;
  const end = pairEnd(body, from);
  const items = body.subarray(from, -2);
  const period = end - from + 1;
  if (body.toString('latin1', 0, from) !== START || items.length !== documents * period - 1) return undefined;
  if (!items.subarray(period).equals(items.subarray(0, Math.max(0, items.length - period)))) return undefined;
  return itemsIn(`{"items":[${items.toString('utf8', 0, period - 1)}]}`)[0];
}

const BRACE = 125;

/** The end of the first `}}`; 1 without one. */
function pairEnd(body: Buffer, from: number): number {
  let at = body.indexOf(BRACE, from);
  while (at !== -1 && body[at + 1] !== BRACE) at = body.indexOf(BRACE, at + 1);
  return at + 2;
}

function isIn({ status, isInFailureStore }: Item): boolean {
  return status === 201 && !isInFailureStore;
}

/** The items; undefined for one that has no result of `create`. */
function itemsIn(text: string): readonly (Item | undefined)[] {
  return objectsIn(text, 'items').map(({ create }) => (isMapping(create) ? itemFrom(create) : undefined));
}

function itemFrom({ _index: index, status, failure_store: failureStore, error }: Record<string, unknown>): Item {
  return { index: textIn(index), status, isInFailureStore: failureStore === 'used', error: errorFrom(error) };
}

/** The objects of an array in a reply. None if it is something else: other servers answer 200 too, with any JSON or a page. */
export function objectsIn(text: string, name: string): readonly Record<string, unknown>[] {
  try {
    const reply: unknown = JSON.parse(text);
    const all = isMapping(reply) ? reply[name] : undefined;
    return Array.isArray(all) && all.every(isMapping) ? all : [];
  } catch {
    return [];
  }
}

/** An error in a reply; undefined if it is no object. */
export function errorFrom(error: unknown): ReplyError | undefined {
  if (!isMapping(error)) return undefined;
  const { type, reason, caused_by: cause } = error;
  return {
    type: textIn(type) ?? '',
    reason: textIn(reason) ?? '',
    cause: isMapping(cause) ? textIn(cause['reason']) : undefined,
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The verdict on a document that a reply leaves out. */
export const UNANSWERED: DocumentOutcome = { is: 'again', reason: 'the reply has no status for it', isUnknown: true };

function verdictOf(item: Item | undefined, hint: (status: number) => string): DocumentOutcome {
  if (item === undefined) return UNANSWERED;
  const { status, error } = item;
  if (isIn(item)) return { is: 'in' };
  if (status === 201) return refused('failure store', 'it is in the failure store of its data stream, not in an index');
  if (status === 200) return refused('noop', 'status 200 noop: an ingest pipeline drops it');
  if (status === 409) return { is: 'already' };
  // Without a usable status it is not known either whether the document is indexed.
  if (typeof status !== 'number') return UNANSWERED;
  const cause = error?.cause === undefined ? '' : `: ${error.cause}`;
  const reason = oneLine(`status ${status} ${error?.type ?? ''}: ${error?.reason ?? ''}${cause}`);
  if (status === 413 || (status === 400 && !isOfTheIndex(error))) return refused(error?.type ?? '', reason);
  // The block of an index on a full disk is a 429 too, and says nothing about the server's load.
  if (status === 429 && error?.type !== 'cluster_block_exception') return { is: 'busy', reason: reason + hint(status) };
  return { is: 'again', reason: reason + hint(status), isUnknown: !(status < 500) };
}

function refused(cause: string, reason: string): DocumentOutcome {
  return { is: 'refused', reason, cause };
}

/**
 * Whether the index and not the document is the problem, for an operator to fix: it is closed, or cannot be created
 * because of the cluster's shard limit, or its pipeline is missing.
 */
function isOfTheIndex(error: ReplyError | undefined): boolean {
  if (error === undefined) return false;
  const { type, reason } = error;
  if (type === 'index_closed_exception' || type === 'invalid_index_name_exception') return true;
  if (type === 'validation_exception') return true;
  // Only from its start, because the end may be the text of the line.
  return /^Validation Failed: .* maximum (\w+ )?shards open|^pipeline with id \[.*\] does not exist/.test(reason);
}

/** The reason in an error response. */
export function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { type?: string; reason?: string } | string };
    if (typeof error === 'string') return oneLine(error);
    if (error?.reason !== undefined) return oneLine(`${error.type}: ${error.reason}`);
  } catch {
    // The response is not JSON but a proxy's page, which is shown unchanged.
  }
  return oneLine(text.slice(0, 200)).trim() || 'no body';
}
