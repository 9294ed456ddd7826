import { defined } from '../core/defined.ts';
import { printable } from '../core/log.ts';
import { paint, type Terminal } from '../core/terminal.ts';
import type { Effects } from './effects.ts';

/** What kolla-bootstrap can ensure, in the order in which it does. Named as the user skips them. */
export const PARTS = ['database', 'queue', 'keys', 'schema', 'tool', 'users', 'endpoints'] as const;
export type PartName = (typeof PARTS)[number];

/** One value of a thing: as it is, and as it is to be. */
export interface Field {
  readonly name: string;
  /** Undefined: there is none yet. */
  readonly before?: string;
  readonly after: string;
}

/** One difference between what is there and what the service needs. It holds no secret: it is printed. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  /** `endpoint` */
  readonly kind: string;
  /** `glance public RegionOne` */
  readonly name: string;
  readonly fields: readonly Field[];
  /** What is needed for it and was not given: it can be shown, not made. */
  readonly lacks?: string;
  /** What to do when it was done and is still to be done. */
  readonly stuck?: string;
}

/** A difference, and how to end it. */
export interface Planned extends Change {
  /** @throws Outdated when what was read is not how things are now */
  readonly apply: () => Promise<void>;
}

/** Something that can be compared with what the service needs, and made so. */
export interface Part {
  readonly name: PartName;
  /** Reads, changes nothing. Each change can be applied when those before it were. */
  plan(): Promise<readonly Planned[]>;
  /** The same for what is to be removed. What others may be using as well is not in it. */
  planRemoval(): Promise<readonly Planned[]>;
}

/** What was read of options and files for some parts; none of it is read again. */
export interface PartSource {
  /** Those of them that may not be shown. */
  readonly secrets: readonly (string | undefined)[];
  /**
   * The parts, for requests that end with the effects' signals.
   * @param stack to which connections are given, to be closed
   */
  open(effects: Effects, stack: DisposableStack): readonly Part[];
}

/** What names a change: the same one again has the same. */
export function titleOf({ kind, name }: Change): string {
  return `${kind} ${name}`;
}

/** On one line, for the log: `update endpoint glance public RegionOne: url http://a -> http://b`. */
export function lineOf(change: Change): string {
  const fields = change.fields.map((field) => ` ${fieldText(field)}`).join(',');
  return `${change.action} ${titleOf(change)}${fields === '' ? '' : `:${fields}`}`;
}

/** For a program: the same keys in every version, values as text. */
export function jsonOf(part: PartName, { action, kind, name, fields, lacks }: Change): object {
  const values = fields.map(({ name: key, before, after }) => [key, { ...defined({ before }), after }]);
  return { part, action, kind, name, fields: Object.fromEntries(values), ...defined({ lacks }) };
}

function fieldText({ name, before, after }: Field): string {
  return before === undefined ? `${name} ${after}` : `${name} ${before} -> ${after}`;
}

/**
 * Changes as a person reads a diff: `+` for what is made, `-` for what is removed, `~` for what is there and differs, with
 * its old and new values.
 * Values come from a server, so nothing in them steers a terminal.
 */
export function diffText(changes: readonly Change[], terminal: Terminal): string {
  return changes.map((change) => `${textOf(change, terminal)}\n`).join('');
}

const MARKS = { create: ['+', 'green'], update: ['~', 'yellow'], delete: ['-', 'red'] } as const;

function textOf(change: Change, terminal: Terminal): string {
  const [mark, style] = MARKS[change.action];
  const title = paint(terminal, style, `${mark} ${printable(titleOf(change))}`);
  const lines = change.fields.flatMap(({ name, before, after }) => {
    if (before === undefined) return [`    ${name}: ${printable(after)}`];
    const [minus, plus] = [
      `    ${name}: - ${printable(before)}`,
      `    ${' '.repeat(name.length + 1)} + ${printable(after)}`,
    ];
    return [paint(terminal, 'red', minus), paint(terminal, 'green', plus)];
  });
  const lacks = change.lacks === undefined ? [] : [paint(terminal, 'red', `    lacks: ${printable(change.lacks)}`)];
  return [title, ...lines, ...lacks].join('\n');
}
