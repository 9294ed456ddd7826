import type { Delta } from '../../status/hub.ts';
import type { StatusDocument } from '../../status/document.ts';

/** The page's state. Each list is a map by name, in the server's order. */
export interface Model {
  about: StatusDocument['about'] | null;
  config: StatusDocument['config'];
  migration: StatusDocument['migration'];
  shipping: StatusDocument['shipping'];
  components: Map<string, StatusDocument['components'][number]>;
  files: Map<string, StatusDocument['files'][number]>;
  refusals: Map<string, StatusDocument['refusals'][number]>;
  waits: Map<string, StatusDocument['waits'][number]>;
  checks: Map<string, StatusDocument['checks'][number]>;
}

const LIST_NAMES = ['components', 'files', 'refusals', 'waits', 'checks'] as const;

export function emptyModel(): Model {
  return {
    about: null,
    config: null,
    migration: null,
    shipping: null,
    components: new Map(),
    files: new Map(),
    refusals: new Map(),
    waits: new Map(),
    checks: new Map(),
  };
}

/** Applies changes that the server has sent. */
export function applyDelta(model: Model, { isWhole, set, put, gone, order }: Delta): void {
  Object.assign(model, set);
  for (const list of LIST_NAMES) {
    const items = model[list] as Map<string, { readonly name: string }>;
    if (isWhole) items.clear();
    for (const item of (put[list] ?? []) as { readonly name: string }[]) items.set(item.name, item);
    for (const name of gone[list] ?? []) items.delete(name);
    const names = order[list];
    if (names !== undefined) reorder(items, names);
  }
}

function reorder(items: Map<string, { readonly name: string }>, names: readonly string[]): void {
  for (const name of names) {
    const item = items.get(name);
    if (item === undefined) continue;
    items.delete(name);
    items.set(name, item);
  }
}

/** The whole document, for a new client. */
export function wholeDelta(all: StatusDocument): Delta {
  const { about, config, migration, shipping, components, files, refusals, waits, checks } = all;
  return {
    id: '',
    isWhole: true,
    set: { about, config, migration, shipping },
    put: { components, files, refusals, waits, checks },
    gone: {},
    order: {},
  };
}
