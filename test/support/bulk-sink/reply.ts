import type { Action } from './store.ts';
import type { Result } from './bulk.ts';

/** The parts of a reply that `filter_path` selects; all parts if there is none. */
export interface Filter {
  readonly isWhole: boolean;
  readonly errors: boolean;
  readonly status: boolean;
  readonly error: boolean;
}

/** @param filterPath the query parameter, such as `errors,items.*.status` */
export function filterOf(filterPath: string | null): Filter {
  const paths = filterPath?.split(',') ?? [];
  return {
    isWhole: filterPath === null,
    errors: paths.includes('errors'),
    status: paths.includes('items.*.status'),
    error: paths.some((path) => path.startsWith('items.*.error')),
  };
}

const ID = 'AZqH1yk2Zr3mT0aBcDeF';

/** A reply that equals that of the servers byte for byte, except for numbers. */
export function replyTo(results: readonly Result[], filter: Filter): string {
  const items = results.flatMap((result) => item(result, filter) ?? []);
  return frame(
    results.some(({ refusal }) => refusal !== undefined),
    items.join(','),
    filter,
  );
}

/** The same, for this number of indexed documents. */
export function replyToAll(documents: number, op: Action['op'], filter: Filter): string {
  const one = item({ action: { op, index: 'logs', id: ID }, refusal: undefined }, filter);
  return frame(false, one === undefined ? '' : `${one},`.repeat(documents).slice(0, -1), filter);
}

function frame(errors: boolean, items: string, { isWhole, errors: hasErrors }: Filter): string {
  if (isWhole) return `{"errors":${errors},"took":1,"items":[${items}]}`;
  const parts = [...(hasErrors ? [`"errors":${errors}`] : []), ...(items === '' ? [] : [`"items":[${items}]`])];
  return `{${parts.join(',')}}`;
}

/** Undefined if the filter leaves nothing. The real servers then drop the item, which shifts the following ones. */
function item({ action: { op, index, id = ID }, refusal }: Result, filter: Filter): string | undefined {
  const status = refusal?.status ?? 201;
  const error = refusal && `"error":{"type":"${refusal.type}","reason":${JSON.stringify(refusal.reason)}}`;
  const done = `"_version":1,"result":"created","_shards":{"total":2,"successful":1,"failed":0},"_seq_no":1,"_primary_term":1`;
  if (filter.isWhole)
    return `{"${op}":{"_index":"${index}","_id":"${id}",${error ? '' : `${done},`}"status":${status}${error ? `,${error}` : ''}}}`;
  const parts = [...(filter.status ? [`"status":${status}`] : []), ...(filter.error && error ? [error] : [])];
  return parts.length === 0 ? undefined : `{"${op}":{${parts.join(',')}}}`;
}
