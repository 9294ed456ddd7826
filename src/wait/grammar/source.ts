import { UsageError } from '../../core/errors.ts';
import { NAME_RULES } from '../../kube/names.ts';

/** A text that is being parsed. Messages quote it, with a column. */
export interface Source {
  readonly text: string;
  /** The name of the source in messages; the default is the text itself. */
  readonly called?: string;
}

/** A part of the text, with the column at which it starts (from 1). */
export interface Part {
  readonly value: string;
  readonly column: number;
}

/** The error about a problem at a column of the text. */
export function wrong({ text, called }: Source, column: number, why: string, cause?: unknown): UsageError {
  return new UsageError(`${called ?? `wait '${shown(text)}'`}, column ${column}: ${why}`, { cause });
}

/** The text without the part of a URL before an @, which may contain a password. */
function shown(text: string): string {
  return text.replace(/^([^:@]*:\/*)[^]*@/, '$1...@');
}

export type NameRule = 'label' | 'subdomain' | 'any';

const RULES = {
  ...NAME_RULES,
  // The rule of the API server: a name is one path segment.
  any: { stray: /[^\w.:~+-]/, most: 253, has: "letters, digits, '-', '.', '_', ':'" },
} as const;

/**
 * Validates a name strictly, because an object whose name has a space or a capital can never exist.
 * @param what the object, with its article: `a Job`
 */
export function checkName(source: Source, what: string, { value, column }: Part, rule: NameRule): void {
  const { stray, most, has } = RULES[rule];
  if (value === '') throw wrong(source, column, `the name of ${what} is missing`);
  const found = stray.exec(value);
  if (found !== null)
    throw wrong(source, column + found.index, `'${found[0]}' is not allowed in the name of ${what}; it has ${has}`);
  const edge = /^[.-]/.test(value) ? 0 : /[.-]$/.test(value) ? value.length - 1 : -1;
  if (edge !== -1) throw wrong(source, column + edge, `the name of ${what} must start and end with a letter or digit`);
  if (value.length > most) throw wrong(source, column + most, `the name of ${what} has at most ${most} characters`);
}

const LABEL = /^(?:!?(?<key>[^=!]+)|(?<valued>[^=!]+)!?=(?<value>[^=!]*))$/;
const KEY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;

/** Validates one requirement of a label selector. */
export function checkLabel(source: Source, { value: text, column }: Part): void {
  const { key, valued, value = '' } = LABEL.exec(text)?.groups ?? {};
  if (!KEY.test(key ?? valued ?? '') || !VALUE.test(value))
    throw wrong(source, column, `'${text}' is not a label; write KEY=VALUE, KEY!=VALUE, KEY or !KEY, one per label=`);
}
