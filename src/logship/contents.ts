import { fileFields, LineParser, type Origin } from './document.ts';
import type { Saved } from './checkpoint.ts';
import { generationId, hasHead, headOf, type Generation } from './generation.ts';
import type { Zone } from './parse/zone.ts';
import { Progress } from './progress.ts';

/** A generation that is being read. */
export interface Content {
  readonly generation: Generation;
  readonly progress: Progress;
  readonly parser: LineParser;
  /** The time of the last dated line that was read. */
  timeMs: number;
}

export interface ContentsOptions {
  readonly source: string;
  readonly root: string;
  readonly origin: Origin;
  readonly zone: Zone;
  readonly now: () => number;
}

/** A file as it was found. */
export interface Found {
  /** Where it was written, without a rotation's suffix. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** Its first bytes, HEAD_BYTES where there are so many. */
  readonly beginning: Buffer;
  /** The generation that was truncated away, where we saw that. */
  readonly previous: Generation | undefined;
  /** Nothing more will be read: a first line without its newline will do. */
  readonly final: boolean;
}

/** All generations that are being read or not wholly acknowledged, and what the checkpoint knew of them. */
export class Contents {
  readonly #options: ContentsOptions;
  readonly #saved = new Map<string, Saved>();
  readonly #current = new Set<Content>();
  readonly #retired = new Set<Content>();
  /** How many generations were begun: the checkpoint must know each before its first document is sent. */
  begun = 0;

  constructor(options: ContentsOptions, saved: readonly Saved[]) {
    this.#options = options;
    for (const entry of saved) this.#saved.set(key(entry.generation), entry);
  }

  /** The checkpoint's entries that no file was found for yet. */
  get awaited(): readonly Saved[] {
    return [...this.#saved.values()];
  }

  /** Drops an entry whose file is gone. */
  forget(entry: Saved): void {
    this.#saved.delete(key(entry.generation));
  }

  /** The file's generation: the checkpoint's, or a new one. Undefined while too little was written to tell. */
  identify(found: Found): Content | undefined {
    const saved = this.#saved.get(key(found));
    if (saved !== undefined && hasHead(found.beginning, saved.generation.head)) {
      this.forget(saved);
      if (found.size >= saved.mark.offset) return this.#add(saved.generation, new Progress(saved.mark));
      return this.#begin(found, saved.generation);
    }
    const content = this.#begin(found, found.previous);
    if (content !== undefined && saved !== undefined) this.forget(saved);
    return content;
  }

  /** No more will be read of it; it is remembered until it is acknowledged. */
  retire(content: Content): void {
    this.#current.delete(content);
    this.#retired.add(content);
  }

  /** What a restart must know. */
  collect(): Saved[] {
    for (const content of this.#retired) if (!content.progress.isOpen) this.#retired.delete(content);
    const live = [...this.#current, ...this.#retired];
    return [
      ...this.#saved.values(),
      ...live.map(({ generation, progress }) => ({ generation, mark: progress.acknowledged })),
    ];
  }

  #begin(found: Found, previous: Generation | undefined): Content | undefined {
    const head = headOf(found.beginning, found.final);
    if (head === undefined) return undefined;
    const nth = previous?.head.hash === head.hash ? previous.nth + 1 : 0;
    const { path, dev, ino } = found;
    const unnamed = { path, dev, ino, head, nth, firstSeenMs: this.#options.now() };
    const generation = { id: generationId(this.#options.source, unnamed), ...unnamed };
    this.begun++;
    return this.#add(generation, new Progress({ offset: 0, skipping: false, timeMs: generation.firstSeenMs }));
  }

  #add(generation: Generation, progress: Progress): Content {
    const { root, origin, zone } = this.#options;
    const parser = new LineParser(zone, fileFields(generation.path, root, origin));
    const content = { generation, progress, parser, timeMs: progress.acknowledged.timeMs };
    this.#current.add(content);
    return content;
  }
}

function key({ ino, path }: { readonly ino: number; readonly path: string }): string {
  return `${ino} ${path}`;
}
