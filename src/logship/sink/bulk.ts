import { oneLine } from '../../core/one-line.ts';
import type { Answer, Verdict } from './sink.ts';

/**
 * Only what verdicts need: a full reply costs more to read than the request to make. A shard that is not there is waited for
 * by asking again, and not for a minute with a request in hand.
 */
export const BULK_PATH =
  '/_bulk?timeout=15s&filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by';

const ALL_IN = '{"errors":false';

interface Item {
  readonly status: number;
  readonly error?: {
    readonly type?: string;
    readonly reason?: string;
    readonly caused_by?: { readonly reason?: string };
  };
}

interface Reply {
  readonly items?: readonly { readonly create?: Item }[];
}

/**
 * The server's reply to a bulk request of so many documents.
 * @param body one that is no bulk reply holds everything, because then somebody else answered
 * @param hint what to do about a status
 */
export function readBulkReply(
  status: number,
  body: Buffer,
  documents: number,
  hint: (status: number) => string = () => '',
): Answer {
  if (status === 413) return { is: 'too large' };
  if (status !== 200) {
    const reason = `status ${status}: ${reasonIn(body.toString())}${hint(status)}`;
    return { is: 'held', reason, because: status === 429 ? 'busy' : undefined };
  }
  // Long before its items: parsing them for nothing would double what a batch costs.
  if (body.toString('latin1', 0, ALL_IN.length) === ALL_IN) return { is: 'all in' };
  const text = body.toString();
  const items = itemsIn(text);
  if (items.length !== documents) return { is: 'held', reason: `no bulk reply: ${oneLine(text.slice(0, 200))}` };
  return { is: 'each', verdicts: items.map(({ create }) => verdictOf(create, hint)) };
}

function itemsIn(text: string): NonNullable<Reply['items']> {
  try {
    return (JSON.parse(text) as Reply | null)?.items ?? [];
  } catch {
    return []; // a proxy's page
  }
}

function verdictOf(item: Item | undefined, hint: (status: number) => string): Verdict {
  if (item === undefined) return { is: 'again', reason: 'the reply has no status for it' };
  const { status, error } = item;
  if (status === 201 || status === 200) return { is: 'in' };
  if (status === 409) return { is: 'already' };
  const cause = error?.caused_by?.reason === undefined ? '' : `: ${error.caused_by.reason}`;
  const reason = oneLine(`status ${status} ${error?.type ?? ''}: ${error?.reason ?? ''}${cause}`);
  if (status === 413) return { is: 'refused', reason };
  if (status === 400 && !isOfTheIndex(error)) return { is: 'refused', reason };
  return { is: status === 429 ? 'busy' : 'again', reason: reason + hint(status) };
}

/**
 * Whether not the document is wrong but its index, which somebody will mend: it is closed, or can't be made because the
 * cluster has as many shards as it may have.
 */
function isOfTheIndex({ type = '', reason = '' }: NonNullable<Item['error']> = {}): boolean {
  if (type === 'index_closed_exception' || type === 'invalid_index_name_exception') return true;
  return type === 'validation_exception' || / maximum (\w+ )?shards open/.test(reason);
}

function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { type?: string; reason?: string } | string };
    if (typeof error === 'string') return oneLine(error);
    if (error?.reason !== undefined) return oneLine(`${error.type}: ${error.reason}`);
  } catch {
    // Not JSON: a proxy's page, shown as it is.
  }
  return oneLine(text.slice(0, 200)).trim() || 'no body';
}
