import { EventParser, type ParserOptions } from '../parse/document.ts';
import { over, type Saved } from '../state/checkpoint.ts';
import { Generation, hasFirstLine } from './generation.ts';
import { Progress, type Cut } from './progress.ts';

/** A generation that is being read. */
export interface Content {
  readonly generation: Generation;
  readonly progress: Progress;
  readonly parser: EventParser;
  /** Where events were ended by the clock; only added to. */
  readonly cuts: Cut[];
  /** No earlier run knew of it, so none has sent anything of it. */
  readonly isNew: boolean;
  /** The time of the last dated event that was begun. */
  timeMs: number;
  /** When the file was last written as far as we saw, by its own clock. */
  modifiedMs: number;
}

interface ContentsOptions extends ParserOptions {
  readonly source: string;
  readonly now: () => number;
}

/** A file as it was found. */
interface Found {
  /** Where it was written, without a rotation's suffix. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** Its first bytes, HEAD_BYTES where there are so many. */
  readonly beginning: Buffer;
  /** Nothing more will be read: a first line without its newline will do. */
  readonly final: boolean;
  /** It was rotated away whole: it may be one that we have seen. */
  readonly isRotated: boolean;
  /** Where to begin with it if it is new. */
  readonly from: { readonly offset: number; readonly skipping: boolean };
}

/** Paths whose last generation is remembered for the next one's name. */
const REMEMBERED = 4096;
/** Of these so many at most are in the checkpoint, whose paths have no content now. */
const FORMER = 256;

/** All generations that are being read or not wholly acknowledged, and what the checkpoint knew of them. */
export class Contents {
  readonly #options: ContentsOptions;
  readonly #saved: Set<Saved>;
  readonly #current = new Set<Content>();
  readonly #retired = new Set<Content>();
  /** By path. */
  readonly #latest = new Map<string, Generation>();
  /** Grows with what the checkpoint must know before the next document is sent: a new generation, a cut. */
  begun = 0;

  constructor(options: ContentsOptions, saved: readonly Saved[]) {
    this.#options = options;
    this.#saved = new Set(saved.filter(({ isOver }) => isOver !== true));
    for (const entry of saved) this.#remember(this.#generation(entry));
  }

  /** The checkpoint's entries that no file was found for yet, the older of a path first. */
  get awaited(): readonly Saved[] {
    return [...this.#saved];
  }

  /** The awaited entry that this file goes on with; of several, the latest. */
  savedOf({ path, ino, size, beginning }: Omit<Found, 'dev' | 'final' | 'isRotated' | 'from'>): Saved | undefined {
    return this.awaited.findLast(
      (saved) =>
        saved.generation.ino === ino &&
        saved.generation.path === path &&
        size >= saved.mark.offset &&
        this.isBeginning(saved, beginning),
    );
  }

  /** Whether a file that begins so may be that entry's. */
  isBeginning({ generation: { head } }: Saved, beginning: Buffer): boolean {
    return head.equals(beginning.subarray(0, head.length));
  }

  /** Continues at an awaited entry. */
  resume(saved: Saved): Content {
    this.#saved.delete(saved);
    return this.#add(this.#generation(saved), new Progress(saved.mark), { ...saved, isNew: false });
  }

  /** Drops an entry whose file is gone. */
  forget(entry: Saved): void {
    this.#saved.delete(entry);
  }

  /** The file's generation: the checkpoint's, or a new one. Undefined while too little was written to tell. */
  identify(found: Found): Content | undefined {
    const saved = this.savedOf(found);
    return saved === undefined ? this.#begin(found) : this.resume(saved);
  }

  /** The unfinished line that begins at `start` was taken up to `at`, whatever comes later. */
  cutLine(content: Content, start: number, at: number): void {
    content.cuts.push({ start, at });
    this.begun++;
  }

  /** No more will be read of it; it is remembered until it is acknowledged. */
  retire(content: Content): void {
    this.#current.delete(content);
    this.#retired.add(content);
  }

  /** What a restart must know, the older of a path first. */
  collect(): Saved[] {
    for (const content of this.#retired) if (!content.progress.isOpen) this.#retired.delete(content);
    const known = [...this.#saved, ...[...this.#retired, ...this.#current].map(savedFrom)];
    const paths = new Set(known.map(({ generation }) => generation.path));
    const former = [...this.#latest.values()].filter(({ path }) => !paths.has(path));
    return [...former.slice(-FORMER).map(over), ...known];
  }

  #begin(found: Found): Content | undefined {
    const { path, dev, ino, beginning, final, from } = found;
    if (beginning.length === 0 || !(final || hasFirstLine(beginning))) return undefined;
    const latest = this.#latest.get(path);
    const known = found.isRotated ? latest?.rivalsOfKnown(beginning) : undefined;
    const rivals = known ?? latest?.rivalsOfNext(beginning) ?? [];
    const firstSeenMs = this.#options.now();
    const identity = { path, dev, ino, firstSeenMs, head: beginning, rivals };
    const generation = new Generation(this.#options.source, identity);
    this.begun++;
    const mark = { ...from, timeMs: firstSeenMs };
    return this.#add(generation, new Progress(mark), { cuts: [], modifiedMs: -1, isNew: true });
  }

  #add(
    generation: Generation,
    progress: Progress,
    known: Pick<Saved, 'cuts' | 'modifiedMs'> & { isNew: boolean },
  ): Content {
    const { cuts, modifiedMs, isNew } = known;
    const parser = new EventParser(generation.path, this.#options);
    const { timeMs } = progress.acknowledged;
    const content = { generation, progress, parser, cuts: [...cuts], isNew, timeMs, modifiedMs };
    this.#current.add(content);
    this.#remember(generation);
    return content;
  }

  #generation({ generation }: Saved): Generation {
    return new Generation(this.#options.source, generation);
  }

  #remember(generation: Generation): void {
    this.#latest.delete(generation.path);
    this.#latest.set(generation.path, generation);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > REMEMBERED && oldest !== undefined) this.#latest.delete(oldest);
  }
}

function savedFrom({ generation, progress, cuts, modifiedMs }: Content): Saved {
  const mark = progress.acknowledged;
  // What was acknowledged is not read again.
  const past = cuts.filter(({ at }) => at <= mark.offset);
  for (const cut of past) cuts.splice(cuts.indexOf(cut), 1);
  return { generation, mark, cuts: [...cuts], modifiedMs };
}
