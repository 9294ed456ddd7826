import type { FileFormat } from '../formats/parser.ts';
import type { Generation } from '../position/generation.ts';
import type { Cut, Mark, Progress } from '../position/progress.ts';
import type { Trail } from '../position/trail.ts';
import type { UndatedTimes } from '../position/undated.ts';
import type { Saved } from '../state/saved.ts';
import { entryOf, textOfEntry, type EntryText } from '../state/entry-text.ts';
import type { HeldFile } from './held-file.ts';

/** A generation that is being read. */
export interface Content {
  readonly generation: Generation;
  readonly progress: Progress;
  readonly format: FileFormat;
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
  /** The number of the generation in the order in which they were begun or resumed. */
  readonly nth: number;
  /** What reads it, while anything does. */
  reader?: Recognizer | undefined;
  /** Its entry in the checkpoint as it was written last, and of what state that was. */
  written?: { readonly entry: Rested; readonly state: WrittenState } | undefined;
  /** Drops what others keep for the generation while it is read. */
  forget?: (() => void) | undefined;
}

/** Tells whether a file contains a generation of this run, by more than its start. */
export interface Recognizer {
  isIn(file: HeldFile): boolean;
}

/** All of which an entry without cuts consists, apart from what never changes. */
interface WrittenState {
  readonly mark: Mark;
  readonly head: Buffer;
  readonly position: number;
  readonly undated: number;
  readonly modifiedMs: number;
  readonly size: number;
}

/**
 * The entry of a generation without cuts. It is all that is kept of one that rests: everything is acknowledged, and nothing is
 * written to its file.
 */
export class Rested implements EntryText {
  readonly path: string;
  readonly nth: number;
  readonly text: string;
  readonly offset: number;
  #saved: Saved | undefined;
  reader: Recognizer | undefined;
  /** See UndatedTimes. */
  undatedTo = 0;

  constructor({ generation, nth, progress }: Content, text: string) {
    this.path = generation.path;
    this.nth = nth;
    this.text = text;
    this.offset = progress.acknowledged.offset;
  }

  /** Kept once it is used: reclaiming uses that of a long file again and again. */
  get saved(): Saved {
    return (this.#saved ??= entryOf(this.text));
  }
}

/** The entry of a generation. Its text is kept until something changes: thousands of files would take a second. */
export function entryFrom(content: Content | Rested | Saved): Saved | Rested {
  if (!('progress' in content)) return content;
  const { cuts, generation, progress, trail, undated, modifiedMs, size, written } = content;
  const mark = progress.acknowledged;
  // Acknowledged lines are not read again.
  const past = cuts.filter(({ at }) => at <= mark.offset);
  for (const cut of past) cuts.splice(cuts.indexOf(cut), 1);
  if (cuts.length > 0) return savedFrom(content);
  const { head } = generation;
  const state = { mark, head, position: trail.position, undated: undated.changes, modifiedMs, size };
  if (written !== undefined && isSame(written.state, state)) return written.entry;
  const entry = new Rested(content, textOfEntry(savedFrom(content)));
  content.written = { entry, state };
  return entry;
}

function isSame(a: WrittenState, b: WrittenState): boolean {
  return (
    a.mark === b.mark &&
    a.head === b.head &&
    a.position === b.position &&
    a.undated === b.undated &&
    a.modifiedMs === b.modifiedMs &&
    a.size === b.size
  );
}

/** The entry of a generation as it is now. */
export function savedFrom({ generation, progress, cuts, undated, modifiedMs, size, trail }: Content) {
  const mark = progress.acknowledged;
  const known = trail.at(mark);
  // Reading may resume at an earlier point, where lines without a time must keep their day.
  const from = known.points[0]?.mark.offset ?? 0;
  return { generation, mark, cuts: [...cuts], undated: undated.entries(from), modifiedMs, size, trail: known };
}

/** The path of a generation. */
export function pathOf(each: Content | Rested | Saved): string {
  return each instanceof Rested ? each.path : each.generation.path;
}

/** What tells the time of the last dated line. */
export function timesOf({ generation, mark }: Saved) {
  return { generation, timeMs: mark.timeMs };
}

/** What is known of a generation that is begun or resumed. */
export type KnownOfContent = Pick<Content, 'modifiedMs' | 'isNew' | 'sentTo' | 'trail'> & Pick<Saved, 'cuts'>;
