import { defined } from '../../core/defined.ts';
import { EventParser, type ParserOptions } from '../parse/document.ts';
import { over, type Saved } from '../state/checkpoint.ts';
import { ByPath } from './by-path.ts';
import { firstLine, Generation, hasFirstLine, type Rival } from '../position/generation.ts';
import type { HeldFile } from './held-file.ts';
import { Progress, type Cut, type Mark } from '../position/progress.ts';
import { resumptionIn, startOf, type Resumption } from './resumption.ts';
import { knownUpTo, lastUnchanged, Trail } from '../position/trail.ts';
import { ANYWHERE, UndatedTimes } from '../position/undated.ts';

/** A generation that is being read. */
export interface Content {
  readonly generation: Generation;
  readonly progress: Progress;
  readonly parser: EventParser;
  /** Ends of events and lines that do not follow from the file's content alone; see Cut. New entries are appended. */
  readonly cuts: Cut[];
  /** Set if earlier runs did not know the generation, so that none has sent any of its lines. */
  readonly isNew: boolean;
  /** No earlier run has sent lines from this offset on. */
  readonly sentTo: number;
  readonly undated: UndatedTimes;
  /** The timestamp of the last dated event. */
  timeMs: number;
  /** The last modification that was seen, by the file system's clock. */
  modifiedMs: number;
  /** The last size that was seen. */
  size: number;
  readonly trail: Trail;
}

interface ContentsOptions extends ParserOptions {
  readonly source: string;
  readonly now: () => number;
  /** Set if the checkpoint was lost, so that earlier runs may have sent lines of unknown generations. */
  readonly isLost?: boolean;
  /** When the checkpoint was written, by the file system's clock. */
  readonly savedMs?: number | undefined;
}

/** A file that was discovered. */
interface Found {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** The file's first bytes, HEAD_BYTES at most. */
  readonly beginning: Buffer;
  /** Set if nothing more will be read, so that an unterminated first line is complete. */
  readonly final: boolean;
  /** Set if the whole file was rotated, so that it may be a known file. */
  readonly isRotated: boolean;
  /** The open file; without it a rotated one is told by its start alone. */
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
  readonly #saved: ByPath<Saved>;
  readonly #current = new ByPath<Content>();
  readonly #retired = new Set<Content>();
  /** Generations by path. */
  readonly #latest = new Map<string, Generation>();
  /** The time of the last dated line of generations that were read to their end, by path. */
  readonly #lastMs = new Map<string, number>();
  /** How generations of this run are recognized, by path, from the oldest. */
  readonly #recognized = new Map<string, Map<Generation, IsIn>>();
  /** As in the options, until all files that exist at the start were read. */
  #isLost: boolean;
  /** Number of changes that the checkpoint must record before the next document is sent: new generations and cuts. */
  begun = 0;
  /** Number of cuts among them. Nothing is sent before they are recorded. */
  lineCuts = 0;

  constructor(options: ContentsOptions, saved: readonly Saved[]) {
    this.#options = options;
    this.#isLost = options.isLost ?? false;
    this.#saved = new ByPath(saved.filter(({ isOver }) => isOver !== true));
    for (const entry of saved) this.#remember(this.#generation(entry));
  }

  /** Entries of the checkpoint without a matching file so far, oldest of a path first. */
  get awaited(): readonly Saved[] {
    return [...this.#saved];
  }

  /** Whether lines that an earlier run may have sent are not acknowledged. */
  get mayBeSent(): boolean {
    if (this.#saved.size > 0) return true;
    return [...this.#current, ...this.#retired].some((each) => each.progress.acknowledged.offset < each.sentTo);
  }

  /**
   * The awaited entry that this file continues. If there are several, one whose bytes are unchanged, and the latest. A
   * restored volume has other inodes.
   */
  resumptionOf(path: string, file: HeldFile): Resumption | undefined {
    const found = this.#saved.of(path).flatMap((saved) => resumptionIn(file, saved) ?? []);
    const isSame = ({ saved }: Resumption) => saved.generation.ino === file.ino;
    const whole = found.filter(({ isWhole }) => isWhole);
    return whole.findLast(isSame) ?? whole.at(-1) ?? found.findLast(isSame) ?? found.at(-1);
  }

  /**
   * Resumes at an awaited entry of the checkpoint.
   * @param file in which it was found
   */
  resume({ saved, mark, isWhole }: Resumption, file: HeldFile): Content {
    this.#saved.delete(saved);
    const { generation, trail } = saved;
    const { path, firstSeenMs, head, rivals } = generation;
    const { dev, ino } = file;
    // Lines of a build whose IDs had no digest keep their IDs, unless others may be at their offsets.
    const digestFrom = isWhole
      ? (generation.digestFrom ?? file.stat().size)
      : Math.min(generation.digestFrom ?? 0, mark.offset);
    if (digestFrom !== generation.digestFrom) this.begun++;
    const identity = { path, dev, ino, firstSeenMs, head, rivals, digestFrom };
    const known = trail && knownUpTo(mark.offset, trail);
    // Cuts are after the saved position, where the bytes are others.
    const cuts = isWhole ? saved.cuts : [];
    const others = {
      cuts,
      modifiedMs: saved.modifiedMs,
      isNew: false,
      // Earlier runs have seen no more of it.
      sentTo: file.stat().size,
      trail: new Trail(known),
      ...defined({ undated: saved.undated }),
    };
    return this.#add(new Generation(this.#options.source, identity), mark, others);
  }

  /** Begins a generation that no checkpoint knows. Undefined while the file has too little content to tell it. */
  begin(found: Found): Content | undefined {
    const { path, dev, ino, beginning, final, from, file } = found;
    if (beginning.length === 0 || !(final || hasFirstLine(beginning))) return undefined;
    const known = found.isRotated ? this.#rivalsOfKnown(found) : undefined;
    const rivals = known ?? this.#rivalsOf(path, beginning);
    const firstSeenMs = this.#options.now();
    const identity = { path, dev, ino, firstSeenMs, head: beginning, rivals, digestFrom: 0 };
    const generation = new Generation(this.#options.source, identity);
    this.begun++;
    const lastMs = found.isRotated ? undefined : this.#lastTimeOf(path);
    const mark = { ...from, timeMs: lastMs ?? firstSeenMs };
    const sentTo = this.#isLost ? (file?.stat().size ?? Infinity) : 0;
    const others = { cuts: [], modifiedMs: -1, isNew: true, sentTo, trail: new Trail(), undated: [] };
    return this.#add(generation, mark, others);
  }

  /**
   * Reads content again that was cut while it was followed. Lines in flight are settled as before, but the checkpoint no
   * longer covers them.
   * @param isInPlace whether it is the file that was read, and no copy
   * @returns undefined if the file's content is another one
   */
  rewind(content: Content, file: HeldFile, isInPlace: boolean): Content | undefined {
    if (!content.generation.matches(file.beginning())) return undefined;
    const saved = savedFrom(content);
    const mark = lastUnchanged(file, saved.trail, startOf(saved), isInPlace);
    if (mark === undefined) return undefined;
    this.#current.delete(content);
    return this.resume({ saved, mark, isWhole: false }, file);
  }

  /** Drops the entry of a file that no longer exists. */
  forget(entry: Saved): void {
    this.#saved.delete(entry);
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

  /** Called when all files were read to their ends. */
  caughtUp(): void {
    this.#isLost = false;
  }

  /** Called when nothing more will be read of the generation. It is kept until it is acknowledged. */
  retire(content: Content): void {
    this.#current.delete(content);
    this.#retired.add(content);
    const { generation, undated, timeMs } = content;
    if (!Number.isNaN(undated.lastMs(timeMs))) this.#lastMs.set(generation.path, timeMs);
  }

  /** The state that a restart needs. Entries of a path are ordered from the oldest. */
  collect(): Saved[] {
    for (const content of this.#retired) if (!content.progress.isOpen) this.#retired.delete(content);
    const known = [...this.#saved, ...[...this.#retired, ...this.#current].map(savedFrom)];
    const paths = new Set(known.map(({ generation }) => generation.path));
    const former = [...this.#latest.values()].filter(({ path }) => !paths.has(path));
    return [...former.slice(-FORMER).map(over), ...known];
  }

  /** The time of the last dated line of the path's generations before: a log's times rise, also through its rotation. */
  #lastTimeOf(path: string): number | undefined {
    const saved = this.#saved.of(path).map(({ generation, mark }) => ({ generation, timeMs: mark.timeMs }));
    const known = [...saved, ...this.#current.of(path)].findLast(
      ({ generation, timeMs }) => timeMs !== generation.firstSeenMs,
    );
    return known?.timeMs ?? this.#lastMs.get(path);
  }

  #rivalsOf(path: string, beginning: Buffer): readonly Rival[] {
    const latest = this.#latest.get(path);
    if (latest === undefined) return [];
    // Two files do not start at the same time: this one was cut to less than what tells whether it is the same.
    const first = firstLine(beginning);
    const timeMs = () =>
      new EventParser(path, this.#options).timeOf(first.toString().trimEnd(), this.#options.now(), NaN);
    const isSame = first.equals(firstLine(latest.head)) && !Number.isNaN(timeMs());
    return isSame ? latest.rivals : latest.rivalsOfNext(beginning);
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
    mark: Mark,
    known: Pick<Content, 'modifiedMs' | 'isNew' | 'sentTo' | 'trail'> & Pick<Saved, 'cuts' | 'undated'>,
  ): Content {
    const parser = new EventParser(generation.path, this.#options);
    const progress = new Progress(mark);
    const { offset, timeMs } = mark;
    // An earlier version gave such lines the time of the mark.
    const from = known.undated ?? [{ at: offset, timeMs, to: ANYWHERE }];
    const { savedMs } = this.#options;
    const seen = { from, size: known.sentTo, savedMs };
    const undated = new UndatedTimes(generation.firstSeenMs, seen, () => void this.begun++);
    const content = { generation, progress, parser, ...known, cuts: [...known.cuts], undated, timeMs, size: 0 };
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
    this.#lastMs.delete(oldest);
    this.#recognized.delete(oldest);
  }
}

function savedFrom({ generation, progress, cuts, undated, modifiedMs, size, trail }: Content) {
  const mark = progress.acknowledged;
  // Acknowledged lines are not read again.
  const past = cuts.filter(({ at }) => at <= mark.offset);
  for (const cut of past) cuts.splice(cuts.indexOf(cut), 1);
  const known = trail.at(mark);
  // Reading may resume at an earlier point, where lines without a time must keep their day.
  const from = known.points[0]?.mark.offset ?? 0;
  return { generation, mark, cuts: [...cuts], undated: undated.entries(from), modifiedMs, size, trail: known };
}
