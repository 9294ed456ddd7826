/**
 * What is wrong with a text that is not JSON, and where: `a comma before ] in line 2, column 12`; the place is after the
 * longest prefix of valid JSON. Error messages of engines differ, and V8's quotes the text, which may contain a password.
 */
export function placeOfMistake(text: string): string {
  if (text.startsWith('\uFEFF')) return 'it begins with a byte order mark: save it as UTF-8 without one';
  const { at, next, open } = completable(text);
  if (at === text.length) {
    const unclosed = open.at(-1);
    if (unclosed === undefined) return text.trim() === '' ? 'it is empty' : 'it ends too early';
    return `it ends too early: ${text[unclosed]} of line ${lineOf(text, unclosed)} is not closed`;
  }
  const comma = text.slice(0, at).trimEnd().length - 1;
  if (text[comma] === ',' && (next === 'key' || next === 'value') && ']}'.includes(text[at]!))
    return `a comma before ${text[at]} in ${placeIn(text, comma)}`;
  const hint = hintFor(text.slice(at, at + 2), next);
  return `${hint === undefined ? 'look at' : `${hint} in`} ${placeIn(text, at)}`;
}

function hintFor(there: string, next: Next | 'text'): string | undefined {
  const [first = ''] = there;
  if (next === 'text') return first === '\n' || first === '\t' ? 'a line break or tab within quotes' : undefined;
  if (there === '//' || there === '/*' || first === '#') return 'a comment, which JSON does not have,';
  if (first === "'") return '\' in place of "';
  if (next === 'more') return '"{['.includes(first) ? 'a comma is missing' : undefined;
  if (next === 'colon') return 'a colon is missing';
  return (next === 'key' || next === 'first key') && /\w/.test(first) ? 'a key without quotes' : undefined;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function placeIn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The token that may follow; in an object or array that was just opened, also its closing bracket. */
type Next = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'more';

const SPACES = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex -- what JSON forbids in a string
const CHARACTERS = /(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
/** The longest valid prefix of an escape sequence. */
const ESCAPE = /(?:\\(?:u[0-9a-fA-F]{0,3})?)?/y;
const WORDS = ['true', 'false', 'null'];
/** The start of a number: its sign and its integer part. A fraction or exponent follows its own marker. */
const NUMBER = [/-?/y, /0|[1-9]\d*/y] as const;
const [DIGITS, SIGN] = [/\d+/y, /[+-]?/y];

interface Prefix {
  /** Length of the longest prefix of valid JSON. */
  readonly at: number;
  /** What may follow; `text` within a string. */
  readonly next: Next | 'text';
  /** Where the objects and arrays begin that are not closed. */
  readonly open: readonly number[];
}

function completable(text: string): Prefix {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  const mark = (marks: string): string | undefined => {
    const found = text[at];
    if (found === undefined || !marks.includes(found)) return undefined;
    at++;
    return found;
  };
  const string = (): boolean => {
    take(CHARACTERS);
    return mark('"') !== undefined || (take(ESCAPE) && false);
  };
  const number = (): boolean => {
    if (!NUMBER.every(take)) return false;
    if (mark('.') !== undefined && !take(DIGITS)) return false;
    return mark('eE') === undefined || (take(SIGN) && take(DIGITS));
  };
  const word = (): boolean => {
    const one = WORDS.find((each) => each.startsWith(text[at] ?? ' ')) ?? '';
    for (const letter of one) if (mark(letter) === undefined) return false;
    return one !== '';
  };
  const open: string[] = [];
  const places: number[] = [];
  const stopped = (state: Next | 'text'): Prefix => ({ at, next: state, open: places });
  const closed = () => {
    open.pop();
    places.pop();
  };
  for (let next: Next = 'value'; ;) {
    take(SPACES);
    const inside = open.at(-1);
    if (next === 'more') {
      if (inside === undefined) return stopped(next);
      const found = mark(`,${inside}`);
      if (found === undefined) return stopped(next);
      if (found === ',') next = inside === '}' ? 'key' : 'value';
      else closed();
    } else if (next === 'colon') {
      if (mark(':') === undefined) return stopped(next);
      next = 'value';
    } else if ((next === 'first item' || next === 'first key') && mark(inside!) !== undefined) {
      closed();
      next = 'more';
    } else if (next === 'key' || next === 'first key') {
      if (mark('"') === undefined) return stopped(next);
      if (!string()) return stopped('text');
      next = 'colon';
    } else {
      const begun = mark('{["');
      if (begun === '{' || begun === '[') {
        open.push(begun === '{' ? '}' : ']');
        places.push(at - 1);
      } else if (begun === '"') {
        if (!string()) return stopped('text');
      } else if (!(isNumber(text[at]) ? number() : word())) return stopped(next);
      next = begun === '{' ? 'first key' : begun === '[' ? 'first item' : 'more';
    }
  }
}

function isNumber(first: string | undefined): boolean {
  return first !== undefined && '-0123456789'.includes(first);
}
