import type { Document } from '../document.ts';
import type { Answer, Verdict } from './sink.ts';

/** Only what verdicts need: a full reply costs more to read than the request to make. */
export const BULK_PATH =
  '/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by';

/** The request's body: create, so that what is in already is told and not written twice. */
export function bulkBody(documents: readonly Document[]): string {
  let body = '';
  for (const { index, id, source } of documents) {
    body += `{"create":{"_index":"${index}","_id":"${id}"}}\n${source}\n`;
  }
  return body;
}

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
 * @param text its body; one that is no bulk reply holds everything, because then somebody else answered
 */
export function readBulkReply(status: number, text: string, documents: number): Answer {
  if (status === 413) return { is: 'too large' };
  if (status !== 200) return { is: 'held', reason: `status ${status}: ${reasonIn(text)}` };
  // Long before its items: parsing them for nothing would double what a batch costs.
  if (text.startsWith('{"errors":false')) return { is: 'all in' };
  const items = itemsIn(text);
  if (items.length !== documents) return { is: 'held', reason: `no bulk reply: ${text.slice(0, 200)}` };
  return { is: 'each', verdicts: items.map(({ create }) => verdictOf(create)) };
}

function itemsIn(text: string): NonNullable<Reply['items']> {
  try {
    return (JSON.parse(text) as Reply).items ?? [];
  } catch {
    return []; // a proxy's page
  }
}

function verdictOf(item: Item | undefined): Verdict {
  if (item === undefined) return { is: 'again', reason: 'the reply has no status for it' };
  const { status, error } = item;
  if (status === 201 || status === 200) return { is: 'in' };
  if (status === 409) return { is: 'already' };
  const cause = error?.caused_by?.reason === undefined ? '' : `: ${error.caused_by.reason}`;
  const reason = `status ${status} ${error?.type ?? ''}: ${error?.reason ?? ''}${cause}`;
  // Everything else can be mended at the server: a closed index, a full disk, a missing privilege.
  return { is: status === 400 && error?.type !== 'index_closed_exception' ? 'refused' : 'again', reason };
}

function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { type?: string; reason?: string } | string };
    if (typeof error === 'string') return error;
    if (error?.reason !== undefined) return `${error.type}: ${error.reason}`;
  } catch {
    // Not JSON: a proxy's page, shown as it is.
  }
  return text.slice(0, 200).trim() || 'no body';
}
