import { defined } from '../../core/defined.ts';
import { printable } from '../../core/log.ts';
import { paint, type Terminal } from '../../core/terminal.ts';
import type { Effects } from './effects.ts';

/** The parts of kolla-bootstrap in their order. Users pass these names to --only and --skip. */
export const PARTS = ['database', 'queue', 'keys', 'schema', 'tool', 'users', 'endpoints'] as const;
export type PartName = (typeof PARTS)[number];

/** A current and a desired value. */
export interface Field {
  readonly name: string;
  /** Undefined if the object does not exist yet. */
  readonly before?: string;
  readonly after: string;
}

/** One difference between the current and the desired state. It is printed, so it contains no secrets. */
export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  /** Such as `endpoint`. */
  readonly kind: string;
  /** Such as `glance public RegionOne`. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** Input that is missing: the change can then be shown, but not applied. */
  readonly lacks?: string;
  /** The likely cause if the object still differs after the change. */
  readonly stuck?: string;
}

/** A difference, and how to apply it. */
export interface Planned extends Change {
  /**
   * @throws ConflictError if the state has changed since it was read
   */
  readonly apply: () => Promise<void>;
}

/** Compares a part of a service's state with the desired one, and applies it. */
export interface Part {
  readonly name: PartName;
  /** Only reads. Each change can be applied after the previous ones. */
  plan(): Promise<readonly Planned[]>;
  /** The changes of a removal. Objects that other services may use are not included. */
  planRemoval(): Promise<readonly Planned[]>;
}

/** Options and files for some of the parts, read once. */
export interface PartSource {
  /** Values that must not be shown. */
  readonly secrets: readonly (string | undefined)[];
  /**
   * The parts. Their requests are aborted by the signals of `effects`.
   * @param stack owns the connections
   */
  open(effects: Effects, stack: DisposableStack): readonly Part[];
}

/** Identifies a change. */
export function titleOf({ kind, name }: Change): string {
  return `${kind} ${name}`;
}

/** The change on one line, for the log: `update endpoint glance public RegionOne: url http://a -> http://b`. */
export function lineOf(change: Change): string {
  const fields = change.fields.map((field) => ` ${fieldText(field)}`).join(',');
  return `${change.action} ${titleOf(change)}${fields === '' ? '' : `:${fields}`}`;
}

/** The change for JSON output. The keys are the same in every release, and values are text. */
export function jsonOf(part: PartName, { action, kind, name, fields, lacks }: Change): object {
  const values = fields.map(({ name: key, before, after }) => [key, { ...defined({ before }), after }]);
  return { part, action, kind, name, fields: Object.fromEntries(values), ...defined({ lacks }) };
}

function fieldText({ name, before, after }: Field): string {
  return before === undefined ? `${name} ${after}` : `${name} ${before} -> ${after}`;
}

/**
 * Changes as a diff: `+` for created, `-` for removed, `~` for changed objects, with old and new values. Values come
 * from a server and must not control the terminal.
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
