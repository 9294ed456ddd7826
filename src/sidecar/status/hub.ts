import type { StatusDocument } from './document.ts';

/** The sections that are lists. Their items are identified by `name`. */
const LISTS = ['components', 'files', 'refusals', 'waits', 'checks'] as const;
const WHOLES = ['about', 'config', 'migration', 'shipping'] as const;
type List = (typeof LISTS)[number];
type Whole = (typeof WHOLES)[number];

/** Changes since a revision: `set` and `put` have what is new or changed, `gone` has the names of removed items. */
export interface Delta {
  readonly id: string;
  /** The document is complete: anything that it does not contain does not exist. */
  readonly isWhole: boolean;
  readonly set: Partial<Record<Whole, unknown>>;
  readonly put: Partial<Record<List, readonly unknown[]>>;
  readonly gone: Partial<Record<List, readonly string[]>>;
  /** The names in their order, for lists whose order or members have changed. */
  readonly order: Partial<Record<List, readonly string[]>>;
}

interface Known {
  item: unknown;
  text: string;
  revision: number;
}

/** Number of removed names that are remembered. A client with an older revision gets the whole document. */
const GONE_KEPT = 2000;

/**
 * Computes changes by comparison: no component needs to report them. Items that are the same object are skipped, so a
 * thousand unchanged files cost next to nothing.
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

  /**
   * @param boot distinguishes this process from its predecessor, whose revisions are meaningless now
   */
  constructor(boot: string, look: () => StatusDocument) {
    this.#boot = boot;
    this.#look = look;
  }

  /** The current document. */
  document(): StatusDocument {
    return this.#look();
  }

  get id(): string {
    return `${this.#boot}-${this.#revision}`;
  }

  /** Compares with the previous state. Returns whether anything has changed. */
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
   * Changes since that id; everything for an unknown one.
   * @returns undefined if there are none
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
