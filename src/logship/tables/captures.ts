import type { Item, Table } from './items.ts';

const known = new WeakMap<Table, readonly string[]>();
const rests = new WeakMap<Table, { readonly name: string | undefined }>();

/** The captures of a table in the order of their first use, which numbers them. Found once: each file asks for them. */
export function capturesOf(table: Table): readonly string[] {
  const found = known.get(table) ?? namesIn(table);
  known.set(table, found);
  return found;
}

function namesIn(table: Table): readonly string[] {
  const names = new Set<string>();
  const visit = (items: readonly Item[]): void => {
    for (const item of items) {
      if (typeof item === 'string') continue;
      if (item.op === 'as' || item.op === 'put' || item.op === 'named') names.add(item.name);
      if ('keys' in item) for (const { name } of item.keys) names.add(name);
      if (item.op === 'either') item.choices.forEach(visit);
      else if ('items' in item) visit(item.items);
    }
  };
  visit(table.line);
  return [...names];
}

/** The capture that continues to the end of the event; undefined if the table has none. Found once, as capturesOf(). */
export function restOf(table: Table): string | undefined {
  const found = rests.get(table) ?? { name: restIn(table) };
  rests.set(table, found);
  return found.name;
}

function restIn(table: Table): string | undefined {
  const names = new Set<string>();
  const visit = (items: readonly Item[]): void => {
    for (const item of items) {
      if (typeof item === 'string') continue;
      if (item.op === 'as' && item.isRest) names.add(item.name);
      if (item.op === 'either') item.choices.forEach(visit);
      else if ('items' in item) visit(item.items);
    }
  };
  visit(table.line);
  if (names.size > 1) throw new RangeError(`${table.name}: only one capture may be the rest of the event`);
  return [...names][0];
}

/** The number of a capture. Throws RangeError if the table does not set it. */
export function numberOf(table: Table, captures: readonly string[], name: string): number {
  const at = captures.indexOf(name);
  if (at === -1) throw new RangeError(`${table.name}: no item captures '${name}'`);
  return at;
}
