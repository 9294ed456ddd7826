import { unexpected } from '../failure/failure.ts';

/** Escapes with the same meaning in Python and JavaScript, inside and outside of a set. */
const SAME = new Set('dDwWsSbBnrtfv0'.split(''));
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/^\(\?P</, '(?<'],
  [/^\(\?(?=[:=!]|<[=!])/, '(?'],
];
const FLAGS: Readonly<Record<string, string>> = { a: '', u: '', i: 'i', m: 'm', s: 's' };

/**
 * Translates a pattern of Python's re.search to a RegExp. Throws exit code 2 for an invalid pattern, and for the few
 * constructs without an equivalent (verbose mode, atomic groups, possessive quantifiers, conditionals).
 */
export function pythonRegExp(pattern: string): RegExp {
  const inline = /^\(\?([a-zL]+)\)/.exec(pattern);
  let flags = 'u';
  for (const flag of inline?.[1] ?? '') {
    if (FLAGS[flag] === undefined)
      throw unexpected(`the pattern ${pattern} has the flag ${flag}, which is not supported`);
    flags += FLAGS[flag];
  }
  try {
    return new RegExp(translate(pattern.slice(inline?.[0].length ?? 0), flags.includes('m')), flags);
  } catch (cause) {
    throw unexpected(`the pattern ${pattern} is not a regular expression`, { cause });
  }
}

function translate(pattern: string, multiline: boolean): string {
  let [out, rest] = ['', pattern];
  const take = (length: number, as: string) => {
    out += as;
    rest = rest.slice(length);
  };
  // eslint-disable-next-line no-unmodified-loop-condition -- take() modifies it
  while (rest !== '') {
    const named = /^\(\?P=(\w+)\)/.exec(rest);
    const repeat = /^\{(\d*)(,?)(\d*)\}/.exec(rest);
    const comment = /^\(\?#[^)]*\)/.exec(rest);
    const group = GROUPS.find(([start]) => start.test(rest));
    if (rest.startsWith('\\')) take(...escape(rest, false));
    else if (rest.startsWith('[')) take(...set(rest));
    else if (comment) take(comment[0].length, '');
    else if (named) take(named[0].length, String.raw`\k<${named[1]}>`);
    else if (group) take(group[0].exec(rest)![0].length, group[1]);
    else if (repeat && (repeat[1] !== '' || repeat[2] !== ''))
      take(repeat[0].length, `{${repeat[1] || '0'}${repeat[2]}${repeat[3]}}`);
    else if (/^[{}\]]/.test(rest)) take(1, `\\${rest[0]}`);
    // In Python, `$` also matches before a trailing newline.
    else if (rest.startsWith('$') && !multiline) take(1, String.raw`(?=\n?(?![^]))`);
    else take(1, rest[0]!);
  }
  return out;
}

/** The length of an escape and its translation. */
function escape(rest: string, inSet: boolean): [number, string] {
  const letter = rest[1] ?? '';
  if (letter === 'A' && !inSet) return [2, '(?<![^])'];
  if (letter === 'Z' && !inSet) return [2, '(?![^])'];
  if (letter === 'a') return [2, String.raw`\x07`];
  if (letter === 'd') return [2, String.raw`\p{Nd}`];
  if (letter === 'w') return [2, inSet ? String.raw`\p{L}\p{N}_` : String.raw`[\p{L}\p{N}_]`];
  const code = /^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[1-9]\d?)/.exec(rest);
  if (code) return [code[0].length, code[0]];
  if (SAME.has(letter)) return [2, `\\${letter}`];
  if (letter === '' || /[a-zA-Z0-9]/.test(letter)) throw new SyntaxError(`bad escape \\${letter}`);
  return [2, String.raw`\u{${letter.codePointAt(0)!.toString(16)}}`];
}

/** The length of a set and its translation. A leading `]` belongs to the set, and so does any `[`. */
function set(rest: string): [number, string] {
  const negated = rest[1] === '^';
  let at = negated ? 2 : 1;
  let members = '';
  for (let first = true; rest[at] !== ']' || first; first = false) {
    const character = rest[at];
    if (character === undefined) throw new SyntaxError('unterminated character set');
    const [length, as] = character === '\\' ? escape(rest.slice(at), true) : [1, literal(character)];
    members += as;
    at += length;
  }
  return [at + 1, `[${negated ? '^' : ''}${members}]`];
}

function literal(character: string): string {
  return '[]^'.includes(character) ? `\\${character}` : character;
}
