/**
 * Position of a JSON syntax error: `look at line 2, column 13`, after the longest prefix of valid JSON. Error messages
 * of engines differ, and V8's quotes the text, which may contain a password.
 */
export function placeOfMistake(text: string): string {
  const at = completable(text);
  if (at === text.length) return 'it ends too early';
  const before = text.slice(0, at).split('\n');
  return `look at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
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

/** Length of the longest prefix of valid JSON. */
function completable(text: string): number {
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
  for (let next: Next = 'value'; ;) {
    take(SPACES);
    const inside = open.at(-1);
    if (next === 'more') {
      if (inside === undefined) return at;
      const found = mark(`,${inside}`);
      if (found === undefined) return at;
      if (found === ',') next = inside === '}' ? 'key' : 'value';
      else open.pop();
    } else if (next === 'colon') {
      if (mark(':') === undefined) return at;
      next = 'value';
    } else if ((next === 'first item' || next === 'first key') && mark(inside!) !== undefined) {
      open.pop();
      next = 'more';
    } else if (next === 'key' || next === 'first key') {
      if (mark('"') === undefined || !string()) return at;
      next = 'colon';
    } else {
      const begun = mark('{["');
      if (begun === '{' || begun === '[') open.push(begun === '{' ? '}' : ']');
      else if (!(begun === '"' ? string() : isNumber(text[at]) ? number() : word())) return at;
      next = begun === '{' ? 'first key' : begun === '[' ? 'first item' : 'more';
    }
  }
}

function isNumber(first: string | undefined): boolean {
  return first !== undefined && '-0123456789'.includes(first);
}
