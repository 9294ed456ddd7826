import type { StatusDocument } from './document.ts';

/** The sections that are lists; their items are known by `name`. */
const LISTS = ['roles', 'files', 'refusals', 'waits', 'checks'] as const;
const WHOLES = ['about', 'config', 'migration', 'shipping'] as const;
type List = (typeof LISTS)[number];
type Whole = (typeof WHOLES)[number];

/** What has changed since a revision: `set` and `put` are new or other, `gone` are names. */
export interface Delta {
  readonly id: string;
  /** It holds everything: what is not in it is not there. */
  readonly isWhole: boolean;
  readonly set: Partial<Record<Whole, unknown>>;
  readonly put: Partial<Record<List, readonly unknown[]>>;
  readonly gone: Partial<Record<List, readonly string[]>>;
  /** The names in their order, of lists in which that, or who is in them, has changed. */
  readonly order: Partial<Record<List, readonly string[]>>;
}

interface Known {
  item: unknown;
  text: string;
  revision: number;
}

/** How many names that went are remembered; who has been away for longer gets everything. */
const GONE_KEPT = 2000;

/**
 * What has changed since when, found by looking: nothing has to tell that it changed. An item that is the same object as
 * before is not looked into, so a thousand files that stay as they are cost next to nothing.
 */
export class Hub {
  readonly #boot: string;
  readonly #look: () => StatusDocument;
  readonly #wholes = new Map<Whole, Known>();
  readonly #lists = new Map<List, Map<string, Known>>(LISTS.map((list) => [list, new Map()]));
  readonly #orders = new Map<List, { text: string; revision: number }>();
  readonly #gone: { list: List; name: string; revision: number }[] = [];
  #forgotten = 0;
  #revision = 0;

  /** @param boot tells this process from the one before, whose revisions mean nothing now */
  constructor(boot: string, look: () => StatusDocument) {
    this.#boot = boot;
    this.#look = look;
  }

  /** Everything as it is now. */
  document(): StatusDocument {
    return this.#look();
  }

  get id(): string {
    return `${this.#boot}-${this.#revision}`;
  }

  /** Looks anew. Returns whether anything is other than at the last look. */
  refresh(): boolean {
    const document = this.#look();
    const next = this.#revision + 1;
    let isChanged = false;
    for (const whole of WHOLES) if (this.#note(this.#wholes, whole, document[whole], next)) isChanged = true;
    for (const list of LISTS) if (this.#noteList(list, document[list], next)) isChanged = true;
    if (isChanged) this.#revision = next;
    return isChanged;
  }

  /**
   * What is other than it was at that id; everything for one that is not known.
   * @returns undefined when nothing is
   */
  since(id: string | undefined): Delta | undefined {
    const from = this.#revisionOf(id);
    if (from === this.#revision) return undefined;
    const isWhole = from === undefined;
    const least = from ?? 0;
    const delta = { id: this.id, isWhole, set: {}, put: {}, gone: {}, order: {} } as MutableDelta;
    for (const [whole, { item, revision }] of this.#wholes) if (revision > least) delta.set[whole] = item;
    for (const [list, items] of this.#lists) {
      const put = [...items.values()].filter(({ revision }) => revision > least).map(({ item }) => item);
      if (put.length > 0) delta.put[list] = put;
      const gone = isWhole ? [] : this.#gone.filter((each) => each.list === list && each.revision > least);
      if (gone.length > 0) delta.gone[list] = gone.map(({ name }) => name).filter((name) => !items.has(name));
      if ((this.#orders.get(list)?.revision ?? 0) > least) delta.order[list] = [...items.keys()];
    }
    return delta;
  }

  #revisionOf(id: string | undefined): number | undefined {
    const [, boot, text] = /^(.+)-(\d+)$/.exec(id ?? '') ?? [];
    const revision = Number(text);
    if (boot !== this.#boot || revision > this.#revision || revision < this.#forgotten) return undefined;
    return revision;
  }

  #note<K>(known: Map<K, Known>, key: K, item: unknown, revision: number): boolean {
    const before = known.get(key);
    if (before !== undefined && before.item === item) return false;
    const text = JSON.stringify(item);
    if (before?.text === text) {
      before.item = item;
      return false;
    }
    if (before === undefined) known.set(key, { item, text, revision });
    else Object.assign(before, { item, text, revision });
    return true;
  }

  #noteList(list: List, items: readonly { readonly name: string }[], revision: number): boolean {
    const known = this.#lists.get(list)!;
    let isChanged = false;
    const names = new Set<string>();
    for (const item of items) {
      names.add(item.name);
      if (this.#note(known, item.name, item, revision)) isChanged = true;
    }
    for (const name of known.keys()) {
      if (names.has(name)) continue;
      known.delete(name);
      this.#gone.push({ list, name, revision });
      isChanged = true;
    }
    while (this.#gone.length > GONE_KEPT) this.#forgotten = this.#gone.shift()!.revision;
    return this.#noteOrder(list, [...names], revision) || isChanged;
  }

  #noteOrder(list: List, names: readonly string[], revision: number): boolean {
    const text = names.join('\n');
    if (this.#orders.get(list)?.text === text) return false;
    this.#orders.set(list, { text, revision });
    const known = this.#lists.get(list)!;
    this.#lists.set(list, new Map(names.map((name) => [name, known.get(name)!])));
    return true;
  }
}

type MutableDelta = { -readonly [K in keyof Delta]: Delta[K] };
