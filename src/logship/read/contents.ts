import { EventParser, type ParserOptions } from '../parse/document.ts';
import { over, type Saved } from '../state/checkpoint.ts';
import { Generation, hasFirstLine, type Rival } from './generation.ts';
import type { HeldFile } from './held-file.ts';
import { Progress, type Cut } from './progress.ts';

/** A generation that is being read. */
export interface Content {
  readonly generation: Generation;
  readonly progress: Progress;
  readonly parser: EventParser;
  /** Ends of events and lines that do not follow from the file's content alone; see Cut. New entries are appended. */
  readonly cuts: Cut[];
  /** Set if earlier runs did not know the generation, so that none has sent any of its lines. */
  readonly isNew: boolean;
  /** The timestamp of the last dated event. */
  timeMs: number;
  /** The last modification that was seen, by the file system's clock. */
  modifiedMs: number;
}

interface ContentsOptions extends ParserOptions {
  readonly source: string;
  readonly now: () => number;
}

/** A file that was discovered. */
interface Found {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** The file's first bytes, HEAD_BYTES at most. */
  readonly beginning: Buffer;
  /** Set if nothing more will be read, so that an unterminated first line is complete. */
  readonly final: boolean;
  /** Set if the whole file was rotated, so that it may be a known file. */
  readonly isRotated: boolean;
  /** The open file; without it only the start decides whether it is known. */
  readonly file?: HeldFile;
  /** Where reading starts if the file is new. */
  readonly from: { readonly offset: number; readonly skipping: boolean };
}

/** Whether a file contains a generation of this run, by more than its start. */
type IsIn = (file: HeldFile) => boolean;

/** Maximum number of a path's generations that are recognized by it. */
const RECOGNIZED = 64;
/** Number of paths whose last generation is remembered, to name the next one. */
const REMEMBERED = 4096;
/** Maximum number of these generations in the checkpoint, for paths that have no other entry in it. */
const FORMER = 256;

/** All generations being read or not fully acknowledged, and the checkpoint's entries for them. */
export class Contents {
  readonly #options: ContentsOptions;
  readonly #saved: Set<Saved>;
  readonly #current = new Set<Content>();
  readonly #retired = new Set<Content>();
  /** Generations by path. */
  readonly #latest = new Map<string, Generation>();
  /** How generations of this run are recognized, by path, from the oldest. */
  readonly #recognized = new Map<string, Map<Generation, IsIn>>();
  /** Number of changes that the checkpoint must record before the next document is sent: new generations and cuts. */
  begun = 0;
  /** Number of cuts among them. Nothing is sent before they are recorded. */
  lineCuts = 0;

  constructor(options: ContentsOptions, saved: readonly Saved[]) {
    this.#options = options;
    this.#saved = new Set(saved.filter(({ isOver }) => isOver !== true));
    for (const entry of saved) this.#remember(this.#generation(entry));
  }

  /** Entries of the checkpoint without a matching file so far, oldest of a path first. */
  get awaited(): readonly Saved[] {
    return [...this.#saved];
  }

  /** The awaited entry that this file continues. If there are several, the latest. */
  savedOf({ path, ino, size, beginning }: Pick<Found, 'path' | 'ino' | 'size' | 'beginning'>): Saved | undefined {
    return this.awaited.findLast(
      (saved) =>
        saved.generation.ino === ino &&
        saved.generation.path === path &&
        size >= saved.mark.offset &&
        this.isBeginning(saved, beginning),
    );
  }

  /** Whether a file that starts like this may match the entry. */
  isBeginning({ generation: { head } }: Saved, beginning: Buffer): boolean {
    return head.equals(beginning.subarray(0, head.length));
  }

  /** Resumes at an awaited entry of the checkpoint. */
  resume(saved: Saved): Content {
    this.#saved.delete(saved);
    return this.#add(this.#generation(saved), new Progress(saved.mark), { ...saved, isNew: false });
  }

  /** Drops the entry of a file that no longer exists. */
  forget(entry: Saved): void {
    this.#saved.delete(entry);
  }

  /**
   * The generation of the file: the checkpoint's, or a new one. Undefined while the file has too little content to
   * tell.
   */
  identify(found: Found): Content | undefined {
    const saved = this.savedOf(found);
    return saved === undefined ? this.#begin(found) : this.resume(saved);
  }

  /** Records that the unfinished line from `start` was taken up to `at`, even if it continues later. */
  cutLine(content: Content, start: number, at: number): void {
    content.cuts.push({ start, at });
    this.begun++;
    this.lineCuts++;
  }

  /** Tells how files that contain the generation are recognized from now on. */
  recognize({ generation }: Content, isIn: IsIn): void {
    if (!this.#latest.has(generation.path)) return;
    const all = this.#recognized.get(generation.path) ?? new Map<Generation, IsIn>();
    all.set(generation, isIn);
    const [oldest] = all.keys();
    if (all.size > RECOGNIZED && oldest !== undefined) all.delete(oldest);
    this.#recognized.set(generation.path, all);
  }

  /** Called when nothing more will be read of the generation. It is kept until it is acknowledged. */
  retire(content: Content): void {
    this.#current.delete(content);
    this.#retired.add(content);
  }

  /** The state that a restart needs. Entries of a path are ordered from the oldest. */
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
    const known = found.isRotated ? this.#rivalsOfKnown(found) : undefined;
    const rivals = known ?? this.#latest.get(path)?.rivalsOfNext(beginning) ?? [];
    const firstSeenMs = this.#options.now();
    const identity = { path, dev, ino, firstSeenMs, head: beginning, rivals };
    const generation = new Generation(this.#options.source, identity);
    this.begun++;
    const mark = { ...from, timeMs: firstSeenMs };
    return this.#add(generation, new Progress(mark), { cuts: [], modifiedMs: -1, isNew: true });
  }

  /** The rivals of the generation that a rotated file contains, if it is a known one. */
  #rivalsOfKnown({ path, beginning, file }: Found): readonly Rival[] | undefined {
    const all = file === undefined ? [] : [...(this.#recognized.get(path) ?? [])];
    const alike = all.filter(([generation]) => generation.matches(beginning));
    // The latest: an earlier one may be just the beginning of it.
    const same = alike.findLast(([, isIn]) => isIn(file!));
    if (same !== undefined) return same[0].rivals;
    // Of generations of earlier runs only the start is known.
    const others = new Set(alike.map(([generation]) => generation.id));
    return this.#latest.get(path)?.rivalsOfKnown(beginning, others.size);
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
    if (this.#latest.size <= REMEMBERED || oldest === undefined) return;
    this.#latest.delete(oldest);
    this.#recognized.delete(oldest);
  }
}

function savedFrom({ generation, progress, cuts, modifiedMs }: Content): Saved {
  const mark = progress.acknowledged;
  // Acknowledged lines are not read again.
  const past = cuts.filter(({ at }) => at <= mark.offset);
  for (const cut of past) cuts.splice(cuts.indexOf(cut), 1);
  return { generation, mark, cuts: [...cuts], modifiedMs };
}
