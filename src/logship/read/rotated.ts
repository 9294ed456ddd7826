import { reasonOf } from '../../core/errors.ts';
import type { Saved } from '../state/saved.ts';
import type { Content } from './content.ts';
import { HeldFile } from './held-file.ts';
import {
  besideMany,
  besideOne,
  listed,
  statOf,
  writtenSince,
  type Beside,
  type List,
  type Sibling,
} from './listing.ts';
import { hold } from './reopen.ts';
import { bestOf, resumptionIn, type Moved, type Resumption } from './resumption.ts';
import type { Displaced, TailOptions } from './tail-options.ts';
import { Tail } from './tail.ts';
import { copyOf, unreadableAt, unreadIn, unreadOf, type Unread } from './unread.ts';
import { reportReplaced, reportResumption, reportVanished, rewound, unreadBytes } from './vanished.ts';

interface RotatedOptions extends TailOptions<Tail> {
  readonly list: List | undefined;
  /** Whether that file is open, or was read to the end. */
  readonly isKnown: (sibling: Sibling) => boolean;
  /** Records that the file was read to the end. */
  readonly finish: (sibling: Sibling) => void;
}

/** The entry that the file currently at a path continues. */
interface Current {
  readonly saved: Saved;
  /** Whether it is the same file with unchanged bytes. Otherwise a file next to it may be a better match. */
  readonly isCertain: boolean;
}

const NO_BUFFER = Buffer.alloc(0);

/**
 * Finds rotated content next to its original path: under a new name, as a copy (logrotate's copytruncate, Kolla's
 * default), or as a whole generation that appeared and was rotated between two polls.
 */
export class Rotated {
  readonly #options: RotatedOptions;
  readonly #list: List;
  readonly #beside: Beside;
  /** Paths of files that could not be read at the start, whose positions a later start needs, by inode. */
  readonly leftAlone = new Map<number, string>();

  constructor(options: RotatedOptions) {
    this.#options = options;
    this.#list = options.list ?? listed;
    this.#beside = besideOne(this.#list);
  }

  /** Lists the siblings of a path. */
  get beside(): Beside {
    return this.#beside;
  }

  /** Lists the siblings of many paths at once. The current files at these paths must already be open. */
  lookAround(): Beside {
    return besideMany(this.#list);
  }

  /**
   * Called when a file was truncated.
   * @returns what to read: the rest from its copy, and generations in between
   */
  displaced(tail: Tail, displaced: Displaced): readonly Tail[] {
    const { path } = tail;
    const { content, position, skipping, lead, size, modifiedMs } = displaced;
    const siblings = this.#siblings(path);
    if (content === undefined) return this.#between(path, siblings, modifiedMs);
    const unread = unreadIn(content, displaced);
    const copy = this.#copyOf(unread, siblings);
    const goOn = (rest: Tail) => rest.goOn(content, { position, skipping });
    const rest = copy === undefined ? [] : [...this.#rest(path, copy, position, goOn)];
    const rewoundTail = copy === undefined ? this.#rewind(tail, siblings, unread, content, size) : undefined;
    if (rest.length === 0 && rewoundTail === undefined) {
      const { contents } = this.#options;
      contents.retire(content);
      // All of the copy had been read from the original.
      if (copy !== undefined) contents.recognize(content, { position, lead });
    }
    if (copy === undefined && rewoundTail === undefined)
      reportReplaced(unread, Math.max(0, size - position), this.#beside(path), this.#options);
    else if (copy !== undefined)
      this.#options.log.info(`${path} was truncated, and its rest is in ${copy.at}`, {
        bytes: copy.stat.size - position,
      });
    if (rewoundTail !== undefined && rewoundTail !== tail) rest.push(rewoundTail);
    const others = siblings.filter(({ stat }) => !rest.some(({ file }) => file.isSame(stat)) && stat !== copy?.stat);
    return [...rest, ...this.#between(path, others, modifiedMs)];
  }

  /**
   * Reads content again that was cut, and then perhaps copied.
   * @returns the tail that reads it: this one, or one of a copy
   */
  #rewind(tail: Tail, siblings: readonly Sibling[], unread: Unread, content: Content, size: number): Tail | undefined {
    const { path, position, modifiedMs } = unread;
    const isRewound = (reader: Tail) => {
      const again = this.#options.contents.rewind(content, reader.file, reader === tail);
      if (again === undefined) return false;
      const { offset, skipping } = again.progress.acknowledged;
      reader.goOn(again, { position: offset, skipping });
      reportVanished(rewound(path, position, offset), Math.max(0, size - position), this.#options);
      return true;
    };
    if (isRewound(tail)) return tail;
    for (const sibling of writtenSince(modifiedMs, path, siblings)) {
      const [reader] = this.#open(path, sibling);
      if (reader !== undefined && isRewound(reader)) return reader;
      reader?.[Symbol.dispose]();
    }
    return undefined;
  }

  /** Called when a file was removed or compressed while it was closed. */
  gone({ path, unread, content, file: { position } }: Tail): void {
    const matches = (beginning: Buffer) => content?.generation.matches(beginning) === true;
    const what = 'was removed while it was closed,';
    reportReplaced({ path, position, matches }, unread, this.#beside(path), this.#options, what);
  }

  /**
   * Called when a file was renamed or removed.
   * @returns whole generations that followed it and were renamed too
   */
  renamed(tail: Tail): readonly Tail[] {
    return this.#between(tail.path, this.#siblings(tail.path), tail.modifiedMs);
  }

  /**
   * Called for a path at which no file was followed so far.
   * @param modifiedMs siblings that were last written before this time were already read
   */
  absent(path: string, modifiedMs: number, beside: Beside): readonly Tail[] {
    return this.#between(path, this.#siblings(path, beside), modifiedMs);
  }

  /** Called for a file that was rotated before we started. */
  older(path: string, at: string, beside: Beside): readonly Tail[] {
    const sibling = this.#siblings(path, beside).find((each) => each.at === at);
    return sibling === undefined ? [] : this.#open(path, sibling);
  }

  /**
   * Finds files of a checkpoint that changed while we were not running.
   * @param held returns the open file at a path
   */
  away(held: (path: string) => HeldFile | undefined, beside: Beside): readonly Tail[] {
    const byPath = Map.groupBy(this.#options.contents.awaited, ({ generation }) => generation.path);
    // Determined before a directory is listed, so that the listing contains files that have left their path.
    const current = new Map([...byPath.keys()].map((path) => [path, this.#currentOf(path, held(path))]));
    return [...byPath].flatMap(([path, entries]) => this.#awayFrom(path, entries, current.get(path), beside));
  }

  /** The entry that the file currently at a path continues. */
  #currentOf(path: string, held: HeldFile | undefined): Current | undefined {
    try {
      // Opening a FIFO would wait for its writer.
      using own =
        held === undefined && statOf(path)?.isFile() ? new HeldFile(path, NO_BUFFER, this.#options.open) : undefined;
      const file = held ?? own;
      const found = file && this.#options.contents.resumptionOf(path, file);
      return found && { saved: found.saved, isCertain: found.isWhole && found.saved.generation.ino === file.ino };
    } catch {
      return undefined; // treated as missing
    }
  }

  #awayFrom(path: string, entries: readonly Saved[], current: Current | undefined, beside: Beside): readonly Tail[] {
    const latest = entries.at(-1)!;
    if (latest === current?.saved && current.isCertain && entries.length === 1) return [];
    let siblings = this.#siblings(path, beside);
    const tails: Tail[] = [];
    let isCurrent = false;
    for (const saved of entries) {
      const isOfCurrent = saved === current?.saved;
      const found = isOfCurrent && current.isCertain ? undefined : this.#find(siblings, saved);
      if (isOfCurrent && found === undefined) {
        isCurrent ||= saved === latest;
        continue;
      }
      const unreadable = found === undefined ? unreadableAt(siblings, saved, this.#options.open) : undefined;
      siblings = siblings.filter((sibling) => sibling !== found?.sibling && sibling.at !== unreadable);
      if (unreadable === undefined) tails.push(...this.#resume(saved, found, beside));
      else {
        this.leftAlone.set(saved.generation.ino, unreadable);
        this.#options.log.warn(`cannot read ${unreadable}: a later start resumes at byte ${saved.mark.offset}`);
      }
    }
    if (isCurrent) return tails;
    return [...tails, ...this.#between(path, siblings, latest.modifiedMs)];
  }

  #find(siblings: readonly Sibling[], saved: Saved): Moved | undefined {
    const { path } = saved.generation;
    const resumed = new Map<Sibling, Resumption>();
    for (const sibling of siblings)
      this.#is(sibling, path, (file) => {
        const resumption = resumptionIn(file, saved);
        if (resumption !== undefined) resumed.set(sibling, resumption);
        return true;
      });
    return bestOf(saved, resumed, {
      copy: () => this.#copyOf(unreadOf(saved), siblings),
      later: () => writtenSince(saved.modifiedMs, path, siblings),
    });
  }

  #resume(saved: Saved, found: Moved | undefined, beside: Beside): readonly Tail[] {
    const { contents } = this.#options;
    const { path } = saved.generation;
    if (found === undefined) {
      // If the whole directory is missing, it may still appear, so the entry is kept.
      if (this.#siblings(path, beside).length > 0 || statOf(path) !== undefined) {
        reportReplaced(unreadOf(saved), unreadBytes(saved), beside(path), this.#options);
        contents.forget(saved);
      }
      return [];
    }
    const { sibling, resumption } = found;
    const { offset: position, skipping } = resumption.mark;
    // A process may still write to its file under another name.
    const isOwn = sibling.stat.ino === saved.generation.ino;
    const goOn = (tail: Tail) => {
      reportResumption(resumption, sibling.stat.size, this.#options);
      tail.goOn(contents.resume(resumption, tail.file), { position, skipping });
    };
    const tails = isOwn ? this.#open(path, sibling, goOn, position) : this.#rest(path, sibling, position, goOn);
    if (tails.length === 0) contents.forget(saved);
    return tails;
  }

  /** Whole generations that were written after that time and are already rotated. */
  #between(path: string, siblings: readonly Sibling[], modifiedMs: number): readonly Tail[] {
    // A process may still write to an empty file.
    const between = writtenSince(modifiedMs, path, siblings).filter(({ stat }) => !this.leftAlone.has(stat.ino));
    return between.flatMap((sibling) => {
      if (sibling.stat.size > 0) this.#options.log.info(`${path} was rotated unseen: reading ${sibling.at} too`);
      return this.#open(path, sibling);
    });
  }

  #copyOf(unread: Unread, siblings: readonly Sibling[]): Sibling | undefined {
    return copyOf(unread, siblings, (sibling, judge) => this.#is(sibling, unread.path, judge));
  }

  #is(sibling: Sibling, path: string, judge: (file: HeldFile) => boolean): boolean {
    try {
      using file = this.#hold(sibling, path);
      return judge(file);
    } catch {
      return false; // gone or inaccessible: counts as lost
    }
  }

  /** Returns one element, or none if there is no rest. */
  #rest(path: string, sibling: Sibling, position: number, goOn: (tail: Tail) => void): readonly Tail[] {
    if (sibling.stat.size > position) return this.#open(path, sibling, goOn, position);
    this.#options.finish(sibling);
    return [];
  }

  /**
   * @param goOn sets where reading starts
   * @returns one element, or none if the file cannot be read, which is logged
   */
  #open(path: string, sibling: Sibling, goOn: (tail: Tail) => void = () => {}, position = 0): readonly Tail[] {
    using opened = new DisposableStack();
    try {
      const file = opened.use(this.#hold(sibling, path));
      const tail = new Tail({ path, file, isRotated: true }, this.#options);
      goOn(tail);
      opened.move();
      return [tail];
    } catch (error) {
      const lost = Math.max(0, sibling.stat.size - position);
      this.#options.counts.lostBytes += lost;
      this.#options.log.warn(`cannot read ${sibling.at}: ${reasonOf(error)}; its lines are lost`, { lost });
      return [];
    }
  }

  #hold(sibling: Sibling, path: string): HeldFile {
    return hold(sibling, this.#options.buffer, this.#options.open, () => this.#beside(path));
  }

  #siblings(path: string, beside = this.#beside): readonly Sibling[] {
    return beside(path).filter((sibling) => !this.#options.isKnown(sibling));
  }
}
