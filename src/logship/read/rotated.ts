import { messageOf } from '../../core/errors.ts';
import type { Saved } from '../state/checkpoint.ts';
import { HeldFile, hold } from './held-file.ts';
import {
  besideMany,
  besideOne,
  isCompressed,
  listed,
  statOf,
  unzippedHead,
  type Beside,
  type List,
  type Sibling,
} from './listing.ts';
import { Tail, type Displaced, type TailOptions } from './tail.ts';

interface RotatedOptions extends TailOptions {
  readonly list: List | undefined;
  /** Whether that file is open, or was read to the end. */
  readonly isKnown: (sibling: Sibling) => boolean;
  /** Records that the file was read to the end. */
  readonly finish: (sibling: Sibling) => void;
}

/** The reading position of content that is no longer at its path. */
interface Unread {
  readonly path: string;
  readonly matches: (beginning: Buffer) => boolean;
  readonly position: number;
  readonly lead: Buffer;
  readonly modifiedMs: number;
}

const NO_LEAD = Buffer.alloc(0);

/**
 * Finds rotated content next to its original path: under a new name, as a copy (logrotate's copytruncate, Kolla's
 * default), or as a whole generation that appeared and was rotated between two polls.
 */
export class Rotated {
  readonly #options: RotatedOptions;
  readonly #list: List;
  readonly #beside: Beside;

  constructor(options: RotatedOptions) {
    this.#options = options;
    this.#list = options.list ?? listed;
    this.#beside = besideOne(this.#list);
  }

  /** Lists the siblings of many paths at once. The current files at these paths must already be open. */
  lookAround(): Beside {
    return besideMany(this.#list);
  }

  /**
   * Called when a file was truncated.
   * @returns what to read: the rest from its copy, and generations in between
   */
  displaced(tail: Tail, { content, position, skipping, lead, size, modifiedMs }: Displaced): readonly Tail[] {
    const { path } = tail;
    const siblings = this.#siblings(path);
    if (content === undefined) return this.#between(path, siblings, modifiedMs);
    const { generation } = content;
    const matches = (beginning: Buffer) => generation.matches(beginning);
    const unread = { path, matches, position, lead, modifiedMs };
    const copy =
      siblings.find((sibling) => this.#isCopy(sibling, unread)) ??
      siblings.findLast((sibling) => this.#isEarlierCopy(sibling, unread, size));
    const rest = copy === undefined ? [] : this.#rest(path, copy, unread);
    for (const each of rest) each.goOn(content, { position, skipping });
    if (rest.length === 0) {
      const { contents } = this.#options;
      contents.retire(content);
      // All of the copy had been read from the original.
      if (copy !== undefined) contents.recognize(content, (other) => other.hasBefore(position, lead));
    }
    if (copy === undefined) this.#sayLost(unread, Math.max(0, size - position));
    else
      this.#options.log.info(`${path} was truncated, and its rest is in ${copy.at}`, {
        bytes: copy.stat.size - position,
      });
    const others = siblings.filter((sibling) => sibling !== copy);
    return [...rest, ...this.#between(path, others, modifiedMs)];
  }

  /**
   * Called when a file was renamed or removed.
   * @returns whole generations that followed it and were renamed too
   */
  renamed(tail: Tail): readonly Tail[] {
    const { path } = tail;
    const modifiedMs = tail.modifiedMs === -1 ? tail.file.stat().mtimeMs : tail.modifiedMs;
    return this.#between(path, this.#siblings(path), modifiedMs);
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
  #currentOf(path: string, held: HeldFile | undefined): Saved | undefined {
    try {
      // Opening a FIFO would wait for its writer.
      using own =
        held === undefined && statOf(path)?.isFile() ? new HeldFile(path, NO_LEAD, this.#options.open) : undefined;
      const file = held ?? own;
      if (file === undefined) return undefined;
      const { size } = file.stat();
      return this.#options.contents.savedOf({ path, ino: file.ino, size, beginning: file.beginning() });
    } catch {
      return undefined; // treated as missing
    }
  }

  #awayFrom(path: string, entries: readonly Saved[], current: Saved | undefined, beside: Beside): readonly Tail[] {
    const latest = entries.at(-1)!;
    if (latest === current && entries.length === 1) return [];
    let siblings = this.#siblings(path, beside);
    const tails: Tail[] = [];
    for (const saved of entries) {
      if (saved === current) continue;
      const found = this.#find(siblings, saved);
      siblings = siblings.filter((sibling) => sibling !== found);
      tails.push(...this.#resume(saved, found, beside));
    }
    if (latest === current) return tails;
    return [...tails, ...this.#between(path, siblings, latest.modifiedMs)];
  }

  #find(siblings: readonly Sibling[], saved: Saved): Sibling | undefined {
    const unread = unreadOf(saved, (beginning) => this.#options.contents.isBeginning(saved, beginning));
    const isRenamed = (sibling: Sibling) =>
      sibling.stat.ino === saved.generation.ino &&
      sibling.stat.size >= unread.position &&
      this.#is(sibling, unread.path, (file) => unread.matches(file.beginning()));
    return siblings.find(isRenamed) ?? siblings.find((sibling) => this.#isCopy(sibling, unread));
  }

  #resume(saved: Saved, found: Sibling | undefined, beside: Beside): readonly Tail[] {
    const { contents } = this.#options;
    const { path } = saved.generation;
    const unread = unreadOf(saved, (beginning) => contents.isBeginning(saved, beginning));
    if (found === undefined) {
      // If the whole directory is missing, it may still appear, so the entry is kept.
      if (this.#siblings(path, beside).length > 0 || statOf(path) !== undefined) {
        this.#sayLost(unread, 0, beside);
        contents.forget(saved);
      }
      return [];
    }
    // A process may still write to its file under another name.
    const isOwn = found.stat.ino === saved.generation.ino;
    const tails = isOwn ? this.#open(path, found) : this.#rest(path, found, unread);
    if (tails.length === 0) contents.forget(saved);
    for (const tail of tails) {
      tail.goOn(contents.resume(saved), { position: saved.mark.offset, skipping: saved.mark.skipping });
    }
    return tails;
  }

  /** Whole generations that were written after that time and are already rotated. */
  #between(path: string, siblings: readonly Sibling[], modifiedMs: number): readonly Tail[] {
    // A process may still write to an empty file.
    const isBetween = ({ isRotated, stat }: Sibling) => isRotated && stat.mtimeMs >= modifiedMs;
    return siblings.filter(isBetween).flatMap((sibling) => {
      if (sibling.stat.size > 0) this.#options.log.info(`${path} was rotated unseen: reading ${sibling.at} too`);
      return this.#open(path, sibling);
    });
  }

  #isCopy(sibling: Sibling, { path, matches, position, lead, modifiedMs }: Unread): boolean {
    const { size, mtimeMs } = sibling.stat;
    if (mtimeMs < modifiedMs) return false;
    // A shorter copy was made before we read the last lines, which logrotate then discarded.
    const isCopy = (file: HeldFile) => matches(file.beginning()) && (size < position || file.hasBefore(position, lead));
    return this.#is(sibling, path, isCopy);
  }

  /**
   * Whether lines were written after the copy was made: logrotate syncs it before it truncates the original. The copy is
   * then older than what we have seen, and smaller.
   */
  #isEarlierCopy(sibling: Sibling, unread: Unread, size: number): boolean {
    const hasRest = unread.position > 0 && sibling.stat.size > unread.position && sibling.stat.size < size;
    return hasRest && this.#isCopy(sibling, { ...unread, modifiedMs: -Infinity });
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
  #rest(path: string, sibling: Sibling, { position }: Unread): readonly Tail[] {
    if (sibling.stat.size > position) return this.#open(path, sibling);
    this.#options.finish(sibling);
    return [];
  }

  /** Returns one element, or none if the file cannot be opened, which is logged. */
  #open(path: string, sibling: Sibling): readonly Tail[] {
    try {
      return [new Tail({ path, file: this.#hold(sibling, path), isRotated: true }, this.#options)];
    } catch (error) {
      this.#options.log.warn(`cannot read ${sibling.at}: ${messageOf(error)}; its lines are lost`);
      return [];
    }
  }

  #hold(sibling: Sibling, path: string): HeldFile {
    return hold(sibling, this.#options.buffer, this.#options.open, () => this.#beside(path));
  }

  #siblings(path: string, beside = this.#beside): readonly Sibling[] {
    return beside(path).filter((sibling) => !this.#options.isKnown(sibling));
  }

  /** @param seen number of bytes after the position at the last poll */
  #sayLost({ path, position, matches }: Unread, seen: number, beside = this.#beside): void {
    const { counts, log } = this.#options;
    const headOf = (at: string) => unzippedHead(at, this.#options.open);
    const zipped = beside(path).find(({ at }) => isCompressed(at) && matches(headOf(at)?.head ?? NO_LEAD));
    const size = zipped === undefined ? undefined : headOf(zipped.at)?.size;
    const lost = size === undefined ? seen : Math.max(0, size - position);
    counts.lostBytes += lost;
    const where = zipped === undefined ? 'there is no copy next to it' : `${zipped.at} is compressed already`;
    const text = `${path} was replaced after byte ${position}, and ${where}`;
    if (lost > 0) log.warn(`${text}: ${lost} bytes are lost`, { lost });
    else log.info(text);
  }
}

function unreadOf({ generation, mark, modifiedMs }: Saved, matches: Unread['matches']): Unread {
  const { path } = generation;
  return { path, matches, position: mark.offset, lead: NO_LEAD, modifiedMs };
}
