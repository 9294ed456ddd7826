import { defined } from '../../core/defined.ts';
import { FileFormat, type ParserOptions } from '../formats/parser.ts';
import { over, type Entry } from '../state/checkpoint.ts';
import type { Saved } from '../state/saved.ts';
import { ByPath } from './by-path.ts';
import { entryFrom, pathOf, Rested, savedFrom, timesOf, type Content, type KnownOfContent } from './content.ts';
import { Former } from './former.ts';
import type { DiscoveredFile } from './discovered-file.ts';
import { Recognition, type LastRead } from './recognition.ts';
import { firstLine, Generation, hasFirstLine, type Rival } from '../position/generation.ts';
import type { HeldFile } from './held-file.ts';
import { Progress, type Mark } from '../position/progress.ts';
import { resumptionIn, startOf, type Resumption } from './resumption.ts';
import { knownUpTo, lastUnchanged, Trail } from '../position/trail.ts';
import { ANYWHERE, sentBefore, UndatedTimes } from '../position/undated.ts';
import { FAR_MS } from '../time/wall.ts';

interface ContentsOptions extends ParserOptions {
  readonly source: string;
  readonly now: () => number;
  /** Set if the checkpoint was lost, so that earlier runs may have sent lines of unknown generations. */
  readonly isLost?: boolean;
  /** When the checkpoint was written, by the file system's clock. */
  readonly savedMs?: number | undefined;
}

/** All generations being read or not fully acknowledged, and the checkpoint's entries for them. */
export class Contents {
  readonly #options: ContentsOptions;
  readonly #saved: ByPath<Saved>;
  readonly #current = new ByPath<Content | Rested>(pathOf);
  readonly #retired = new Set<Content>();
  /** The last generation of each path that is no longer read. */
  readonly #former = new Former();
  /** How generations of this run are recognized that nothing reads. */
  readonly #recognition = new Recognition();
  /** Number of generations so far. */
  #count = 0;
  /** As in the options, until all files that exist at the start were read. */
  #isLost: boolean;
  /** Number of changes that the checkpoint must record before the next document is sent: new generations and cuts. */
  begun = 0;
  /** Number of cuts among them. Nothing is sent before they are recorded. */
  lineCuts = 0;

  constructor(options: ContentsOptions, saved: readonly Saved[]) {
    this.#options = options;
    this.#isLost = options.isLost ?? false;
    this.#saved = new ByPath(
      pathOf,
      saved.filter(({ isOver }) => isOver !== true),
    );
    for (const entry of saved) this.#former.add(this.#generation(entry), this.#count++, NaN);
  }

  /** Entries of the checkpoint without a matching file so far, oldest of a path first. */
  get awaited(): readonly Saved[] {
    return [...this.#saved];
  }

  /** Whether lines that an earlier run may have sent are not acknowledged. */
  get mayBeSent(): boolean {
    if (this.#saved.size > 0) return true;
    return [...this.#current, ...this.#retired].some(
      (each) => !(each instanceof Rested) && each.progress.acknowledged.offset < each.sentTo,
    );
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
  begin(found: DiscoveredFile): Content | undefined {
    const { path, dev, ino, beginning, final, from, file } = found;
    if (beginning.length === 0 || !(final || hasFirstLine(beginning))) return undefined;
    const known = found.isRotated ? this.#rivalsOfKnown(found) : undefined;
    const rivals = known ?? this.#rivalsOf(path, beginning);
    const firstSeenMs = this.#options.now();
    const identity = { path, dev, ino, firstSeenMs, head: beginning, rivals, digestFrom: 0 };
    const generation = new Generation(this.#options.source, identity);
    this.begun++;
    const lastMs = found.isRotated ? undefined : this.#lastTimeOf(path);
    // A time that a line of the generation before should not have had is not passed on.
    const isKnown = lastMs !== undefined && lastMs <= firstSeenMs + FAR_MS;
    const mark = { ...from, timeMs: isKnown ? lastMs : firstSeenMs };
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

  /** Tells how files that contain the generation are recognized from now on, because nothing reads it. */
  recognize(content: Content, last: LastRead): void {
    content.reader = undefined;
    this.#recognition.add(content.generation, content.nth, last);
  }

  /**
   * Keeps only what a restart needs, for a generation that was read to its end. Undefined if it must not rest: lines are not
   * acknowledged, or an earlier run may have sent later ones.
   */
  rest(content: Content, position: number): Rested | undefined {
    const { progress, sentTo, timeMs, undated } = content;
    const mark = progress.acknowledged;
    if (progress.isOpen || position === 0 || mark.offset !== position || sentTo > position) return undefined;
    if (mark.timeMs !== timeMs) return undefined;
    const rested = entryFrom(content);
    if (!(rested instanceof Rested)) return undefined;
    rested.reader = content.reader;
    rested.undatedTo = undated.sentTo;
    this.#current.replace(content, rested);
    content.forget?.();
    content.format[Symbol.dispose]();
    return rested;
  }

  /** Called when the file of a rested generation is needed. */
  wake(rested: Rested): Content {
    const { nth, reader, saved } = rested;
    const { generation, mark, modifiedMs, size = 0, trail } = saved;
    const times = { from: saved.undated ?? [], sentTo: rested.undatedTo };
    const undated = new UndatedTimes(generation.firstSeenMs, times, () => void this.begun++);
    const others = { cuts: [], isNew: false, sentTo: 0, trail: new Trail(trail), undated, modifiedMs };
    const content = { ...this.#content(this.#generation(saved), mark, others, nth), size, reader };
    this.#current.replace(rested, content);
    return content;
  }

  /** Called when all files were read to their ends. */
  caughtUp(): void {
    this.#isLost = false;
  }

  /** Called when nothing more will be read of the generation. It is kept until it is acknowledged. */
  retire(content: Content): void {
    this.#current.delete(content);
    this.#retired.add(content);
    const { generation, nth, undated, timeMs } = content;
    this.#former.add(generation, nth, undated.lastMs(timeMs));
  }

  /** The state that a restart needs. Entries of a path are ordered from the oldest. */
  collect(): Entry[] {
    for (const content of this.#retired) {
      if (content.progress.isOpen) continue;
      this.#retired.delete(content);
      content.forget?.();
    }
    const all = [...this.#saved, ...this.#retired, ...this.#current];
    const paths = new Set(all.map(pathOf));
    return [...this.#former.others(paths).map(over), ...all.map(entryFrom)];
  }

  /** The time of the last dated line of the path's generations before: a log's times rise, also through its rotation. */
  #lastTimeOf(path: string): number | undefined {
    const current = this.#current.of(path).map((each) => (each instanceof Rested ? timesOf(each.saved) : each));
    const known = [...this.#saved.of(path).map(timesOf), ...current].findLast(
      ({ generation, timeMs }) => timeMs !== generation.firstSeenMs,
    );
    return known?.timeMs ?? this.#former.lastMsOf(path);
  }

  /** The path's latest generation, whether or not it is read. */
  #latestOf(path: string): Generation | undefined {
    const current = this.#current.of(path).at(-1);
    const former = this.#former.of(path);
    if (current === undefined || (former !== undefined && former.nth > current.nth)) return former?.generation;
    return this.#generationOf(current);
  }

  #generationOf(each: Content | Rested): Generation {
    return each instanceof Rested ? this.#generation(each.saved) : each.generation;
  }

  #rivalsOf(path: string, beginning: Buffer): readonly Rival[] {
    const latest = this.#latestOf(path);
    if (latest === undefined) return [];
    // Two files do not start at the same time: this one was cut to less than what tells whether it is the same.
    const first = firstLine(beginning);
    const isSame =
      first.equals(firstLine(latest.head)) && new FileFormat(path, this.#options).isDated(first, this.#options.now());
    return isSame ? latest.rivals : latest.rivalsOfNext(beginning);
  }

  /** The rivals of the generation that a rotated file contains, if it is a known one. */
  #rivalsOfKnown({ path, beginning, file }: DiscoveredFile): readonly Rival[] | undefined {
    const read = this.#current.of(path);
    const all = file === undefined ? [] : this.#recognition.of(path, read, (each) => this.#generationOf(each));
    const alike = all.filter((each) => each.matches(beginning));
    // The latest: an earlier one may be just the beginning of it.
    const same = alike.findLast((each) => each.isIn(file!));
    if (same !== undefined) return same.rivals;
    // Of generations of earlier runs only the start is known.
    const others = new Map(alike.map(({ id, count }) => [id, count]));
    const count = [...others.values()].reduce((sum, each) => sum + each, 0);
    return this.#latestOf(path)?.rivalsOfKnown(beginning, count);
  }

  #add(generation: Generation, mark: Mark, known: KnownOfContent & Pick<Saved, 'undated'>): Content {
    const { offset, timeMs } = mark;
    // An earlier version gave such lines the time of the mark.
    const from = known.undated ?? [{ at: offset, timeMs, to: ANYWHERE }];
    const seen = { from, size: known.sentTo, savedMs: this.#options.savedMs };
    const undated = new UndatedTimes(generation.firstSeenMs, sentBefore(seen), () => void this.begun++);
    const content = this.#content(generation, mark, { ...known, undated }, this.#count++);
    this.#current.add(content);
    return content;
  }

  #content(
    generation: Generation,
    mark: Mark,
    known: KnownOfContent & { readonly undated: UndatedTimes },
    nth: number,
  ): Content {
    const format = new FileFormat(generation.path, this.#options);
    const { timeMs } = mark;
    return { generation, progress: new Progress(mark), format, ...known, cuts: [...known.cuts], timeMs, size: 0, nth };
  }

  #generation({ generation }: Saved): Generation {
    return new Generation(this.#options.source, generation);
  }
}
