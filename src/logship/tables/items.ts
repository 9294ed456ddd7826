import type { ByteSet } from './byte-set.ts';

/**
 * What a line consists of, as a PEG over bytes: choices are ordered, a run takes all it can and gives nothing back, and nothing
 * is matched twice but by `within`. So a line costs at most its length for each item, whatever it contains.
 */
export type Item = string | Operation;

/** What becomes of an event whose time does not exist, such as February 30: the event is unreadable or undated, or the item fails. */
export type Impossible = 'unreadable' | 'undated' | 'fails';
/** How a line relates to the lines before it: see LineRole. A line that `opens` begins an event that takes lines as long as Table.goesOn says. */
export type LinePlace = 'alone' | 'begins' | 'follows' | 'resumes' | 'opens';

export type Operation =
  | { readonly op: 'run'; readonly set: ByteSet; readonly least: number; readonly most: number }
  | { readonly op: 'to'; readonly text: string }
  | { readonly op: 'last'; readonly set: ByteSet; readonly byte: number }
  | { readonly op: 'quoted'; readonly byte: number }
  | { readonly op: 'end'; readonly byte: number | undefined }
  | { readonly op: 'eol' | 'bad' | 'fail' | 'epoch' }
  | { readonly op: 'as'; readonly name: string; readonly items: readonly Item[]; readonly isRest: boolean }
  | { readonly op: 'put'; readonly name: string; readonly text: string }
  | ({ readonly op: 'named'; readonly name: string; readonly from: string } & Numbering)
  | { readonly op: 'either'; readonly choices: readonly (readonly Item[])[] }
  | { readonly op: 'many'; readonly most: number; readonly items: readonly Item[] }
  | { readonly op: 'not' | 'ahead'; readonly items: readonly Item[] }
  | { readonly op: 'is'; readonly name: string; readonly text: string }
  | { readonly op: 'place'; readonly place: LinePlace }
  | { readonly op: 'within'; readonly name: string; readonly items: readonly Item[] }
  | { readonly op: 'time'; readonly layout: string; readonly impossible: Impossible }
  | { readonly op: 'json'; readonly keys: readonly Key[] }
  | { readonly op: 'pairs'; readonly most: number; readonly keys: readonly Key[] };

/** Names of numbers: a capture's value, shifted right and masked, is an index of the list. */
interface Numbering {
  readonly shift: number;
  readonly mask: number;
  readonly names: readonly string[];
}

/** A key of a JSON object or of logfmt, and the capture for its value. */
export interface Key {
  readonly key: string;
  readonly name: string;
}

/** How a capture is written to documents. Without it, as text under the capture's name. */
export interface Field {
  /** The field's name in Kolla's schema, if it is not the capture's. */
  readonly name?: string;
  /** Its name in ECS, if no rule for the field's name says it. */
  readonly ecs?: string;
  /** `json`: the text of a JSON string, or any other value as text. `value`: any JSON value, as it is. */
  readonly kind?: 'number' | 'json' | 'value';
  /** A number of which the value is the capture times this power of ten. */
  readonly shift?: number;
  /** The only schema that has the field. */
  readonly only?: 'ecs';
  /** Captures of which the text consists, each after the text before it. */
  readonly parts?: readonly (readonly [before: string, name: string])[];
}

/** The format of a file's lines. */
export interface Table {
  readonly name: string;
  /** One line. Captures whose names start with `_` are in no document. */
  readonly line: readonly Item[];
  /** What a line is for which no `place` was reached. */
  readonly otherwise: LinePlace;
  /** The capture with the ID of the process, if lines of several processes are interleaved. */
  readonly process?: string;
  /** The captures that the lines of one event have in common, of a format with lines that `resumes` places. */
  readonly same?: readonly string[];
  /** After lines that start with one of these bytes an event that a line `opens` is not complete. */
  readonly goesOn?: ByteSet;
  /** Where an event's traceback is. `lines`: all lines but the first. `from`: from the line that starts it. */
  readonly trace?: 'lines' | 'from';
  readonly fields?: Readonly<Record<string, Field>>;
}

/** At least `least` and at most `most` bytes of a set, as many as there are. */
export const run = (set: ByteSet, least = 1, most = UNLIMITED): Item => ({ op: 'run', set, least, most });
/** The value of `most` without a limit. */
export const UNLIMITED = 255;
/** Exactly that many bytes of a set. */
export const exactly = (count: number, set: ByteSet): Item => run(set, count, count);
/** Up to a text, which is not taken. Fails without it. */
export const to = (text: string): Item => ({ op: 'to', text });
/** Up to the last such byte in a run of a set, after at least one other byte. */
export const toLast = (set: ByteSet, text: string): Item => ({ op: 'last', set, byte: byteOf(text) });
/** Up to a quote that no backslash precedes. Fails without it. */
export const quoted = (text = '"'): Item => ({ op: 'quoted', byte: byteOf(text) });
/** To the end of the line or, if the line ends with that byte, to the byte. */
export const toEnd = (text?: string): Item => ({ op: 'end', byte: text === undefined ? undefined : byteOf(text) });
/** The end of the line, or of the text in `within`. */
export const eol = (): Item => ({ op: 'eol' });
/** Makes the event unreadable: its document contains the whole text. */
export const bad = (): Item => ({ op: 'bad' });
export const fail = (): Item => ({ op: 'fail' });
/** Captures what the items take. */
export const as = (name: string, ...items: Item[]): Item => ({ op: 'as', name, items, isRest: false });
/** Captures the rest of the event: of the line, which the items may match, and all further lines. */
export const rest = (name: string, ...items: Item[]): Item => ({
  op: 'as',
  name,
  items: [...items, toEnd()],
  isRest: true,
});
/** Sets a capture to a constant. */
export const put = (name: string, text: string): Item => ({ op: 'put', name, text });
/** Sets a capture to the name of the number in another capture. Fails if the number has no name. */
export const named = (name: string, from: string, numbering: Numbering): Item => ({
  op: 'named',
  name,
  from,
  ...numbering,
});
/** The first choice that matches. */
export const either = (...choices: (readonly Item[])[]): Item => ({ op: 'either', choices });
export const maybe = (...items: Item[]): Item => either(items, []);
/** Up to `most` times, until the items fail. */
export const many = (most: number, ...items: Item[]): Item => ({ op: 'many', most, items });
/** Fails if the items match. Takes and captures nothing. */
export const not = (...items: Item[]): Item => ({ op: 'not', items });
/** Fails unless the items match. Takes and captures nothing, but `place` counts. */
export const ahead = (...items: Item[]): Item => ({ op: 'ahead', items });
/** Whether a capture is one of these texts. */
export const is = (name: string, ...texts: string[]): Item =>
  either(...texts.map((text): readonly Item[] => [{ op: 'is', name, text }]));
export const place = (what: LinePlace): Item => ({ op: 'place', place: what });
/** Matches a capture's text; the line is then continued where it was. */
export const within = (name: string, ...items: Item[]): Item => ({ op: 'within', name, items });
/**
 * A timestamp. Y y m d H M S: digits; b: `Nov`; n e h N s: m d H M S with one or two digits, e after an optional space; f: an optional
 * fraction (F: required); z: an optional zone (Z: required, a: also after a space, c: only `+hh:mm`, U: none, it is UTC); _: spaces;
 * others are themselves.
 */
export const time = (layout: string, impossible: Impossible = 'unreadable'): Item => ({
  op: 'time',
  layout,
  impossible,
});
/** Seconds, milliseconds, microseconds or nanoseconds since the epoch, as the time. */
export const epoch = (): Item => ({ op: 'epoch' });
/** From here to the end one JSON object; captures the values of these keys by name. */
export const json = (keys: Readonly<Record<string, string>>): Item => ({ op: 'json', keys: keysOf(keys) });
/** Pairs of logfmt, as long as there are any; captures the values of these keys by name. */
export const pairs = (most: number, keys: Readonly<Record<string, string>>): Item => ({
  op: 'pairs',
  most,
  keys: keysOf(keys),
});

function keysOf(keys: Readonly<Record<string, string>>): readonly Key[] {
  return Object.entries(keys).map(([key, name]) => ({ key, name }));
}

function byteOf(text: string): number {
  return text.charCodeAt(0);
}
