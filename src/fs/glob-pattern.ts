/**
 * Globs as Node's, whose matcher only Node has: `*` and `?` within a name, `[a-z]`, `[!a]`, `[[:digit:]]`, `{a,b}`, `{1..3}`,
 * `@(a|b)`, `?()`, `*()`, `+()`, `!()`, and `**` for any directories. Only a dot matches a name's first dot. There is no
 * escape: a backslash is a slash.
 *
 *   a glob -> braces: texts without braces -> parts between slashes -> each a name, a RegExp, or `**`
 */

/** A part of a glob between two slashes: a name, an expression for names, or `**`. */
export type Part = string | RegExp | typeof ANY;
export const ANY = Symbol('**');

/** A glob without braces. */
export interface Pattern {
  readonly isAbsolute: boolean;
  readonly parts: readonly Part[];
  /** Set if it ends with a slash. */
  readonly isDirectory: boolean;
}

export function patternsOf(glob: string): Pattern[] {
  return braces(glob.replaceAll('\\', '/')).map((text) => {
    const words = text.split('/').filter((word) => word !== '' && word !== '.');
    return { isAbsolute: text.startsWith('/'), parts: words.map(partOf), isDirectory: text.endsWith('/') };
  });
}

const MAGIC = /[*?[(]/;

function partOf(text: string): Part {
  if (text === '**') return ANY;
  if (!MAGIC.test(text)) return text;
  const { source } = sequence(text, 0, '', true);
  return new RegExp(`^(?:${source})$`, source.includes(String.raw`\p{`) ? 'u' : '');
}

/** No name begins with a dot here. */
const NO_DOT = String.raw`(?!\.)`;

/**
 * The expression for a text up to one of the characters `until`.
 * @param isFirst whether a name starts here
 */
function sequence(text: string, from: number, until: string, isFirst: boolean): { source: string; end: number } {
  let source = '';
  let at = from;
  while (at < text.length && !until.includes(text[at]!)) {
    const isStart = isFirst && at === from;
    const char = text[at]!;
    if (text[at + 1] === '(' && '?*+@!'.includes(char)) {
      const group = alternatives(text, at, isStart);
      if (group !== undefined) {
        source += char === '!' ? other(text, group, until, isStart) : group.source + (char === '@' ? '' : char);
        at = group.end;
        continue;
      }
    }
    const set = char === '[' ? setOf(text, at) : undefined;
    if (char === '*') {
      while (text[at + 1] === '*') at++;
      // A whole name that is matched is not empty.
      source += `${isStart ? NO_DOT : ''}[^\\/]${isStart && at + 1 === text.length ? '+' : '*'}?`;
    } else if (char === '?') source += `${isStart ? NO_DOT : ''}[^\\/]`;
    else if (set !== undefined) {
      source += isStart && !set.isLiteral ? NO_DOT + set.source : set.source;
      at = set.end - 1;
    } else source += literal(char);
    at++;
  }
  return { source, end: at };
}

interface Group {
  readonly source: string;
  readonly end: number;
}

/** The alternatives of `@(a|b)` at that place, as a group; undefined if it is not closed. */
function alternatives(text: string, at: number, isFirst: boolean): Group | undefined {
  const sources: string[] = [];
  for (let from = at + 2; ;) {
    const { source, end } = sequence(text, from, '|)', isFirst);
    if (end >= text.length) return undefined;
    sources.push(source);
    if (text[end] === ')') return { source: `(?:${sources.join('|')})`, end: end + 1 };
    from = end + 1;
  }
}

/** `!(a|b)`: what is not one of them before the rest. */
function other(text: string, { source, end }: Group, until: string, isFirst: boolean): string {
  const rest = sequence(text, end, until, false).source;
  return `(?!${source}${rest}$)${isFirst ? NO_DOT : ''}[^\\/]*?`;
}

/** Classes of POSIX. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: String.raw`\p{L}\p{Nl}\p{Nd}`,
  alpha: String.raw`\p{L}\p{Nl}`,
  ascii: String.raw`\x00-\x7f`,
  blank: String.raw`\p{Zs}\t`,
  cntrl: String.raw`\p{Cc}`,
  digit: String.raw`\p{Nd}`,
  lower: String.raw`\p{Ll}`,
  punct: String.raw`\p{P}`,
  space: String.raw`\p{Z}\t\r\n\v\f`,
  upper: String.raw`\p{Lu}`,
  word: String.raw`\p{L}\p{Nl}\p{Nd}\p{Pc}`,
  xdigit: 'A-Fa-f0-9',
};

interface CharacterSet extends Group {
  /** Whether it is a single character. */
  readonly isLiteral: boolean;
}

/** The set that starts with `[` there; undefined if it is not closed. */
function setOf(text: string, from: number): CharacterSet | undefined {
  let at = from + 1;
  const isNegated = text[at] === '!' || text[at] === '^';
  if (isNegated) at++;
  const [first, members]: [number, string[]] = [at, []];
  let isRange = false;
  for (; text[at] !== ']' || at === first; at++) {
    const char = text[at];
    if (char === undefined) return undefined;
    const [whole, name = ''] = /^\[:(\w+):\]/.exec(text.slice(at)) ?? [];
    if (whole !== undefined && CLASSES[name] !== undefined) {
      members.push(CLASSES[name]);
      at += whole.length - 1;
      isRange = true;
    } else if (text[at + 1] === '-' && text[at + 2] !== ']' && text[at + 2] !== undefined) {
      // A range that is the wrong way round has no member.
      if (char <= text[at + 2]!) members.push(`${literal(char)}-${literal(text[at + 2]!)}`);
      at += 2;
      isRange = true;
    } else members.push(literal(char));
  }
  const end = at + 1;
  if (members.length === 0) return { source: isNegated ? String.raw`[^\/]` : '(?!)', end, isLiteral: false };
  const source = isNegated ? String.raw`(?!\/)[^${members.join('')}]` : `[${members.join('')}]`;
  return { source, end, isLiteral: !isNegated && !isRange && members.length === 1 };
}

function literal(char: string): string {
  return /[\w\s]|[^\0-\x7f]/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** The texts for which braces stand: `a{b,c}` is `ab` and `ac`. Braces without a comma or a range are themselves. */
export function braces(text: string): string[] {
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open + 1)) {
    const found = choices(text, open);
    if (found === undefined) continue;
    const before = text.slice(0, open);
    const rests = braces(text.slice(found.end));
    return found.texts.flatMap((choice) => braces(choice).flatMap((one) => rests.map((rest) => before + one + rest)));
  }
  return [text];
}

function choices(text: string, open: number): { readonly texts: readonly string[]; readonly end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '{') depth++;
    else if (char === '}' && depth > 0) depth--;
    else if (char === '}' || (char === ',' && depth === 0)) {
      texts.push(text.slice(from, at));
      from = at + 1;
      if (char === ',') continue;
      if (texts.length > 1) return { texts, end: from };
      const range = rangeOf(texts[0]!);
      return range === undefined ? undefined : { texts: range, end: from };
    }
  }
  return undefined;
}

/** `1..3`, `01..10`, `a..e`, each with `..STEP`. */
function rangeOf(text: string): string[] | undefined {
  const [, first, last, step] = /^(-?\d+|[a-zA-Z])\.\.(-?\d+|[a-zA-Z])(?:\.\.(-?\d+))?$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const areNumbers = /\d/.test(first) && /\d/.test(last);
  if (!areNumbers && (/\d/.test(first) || /\d/.test(last))) return undefined;
  const [from, to] = [first, last].map((word) => (areNumbers ? Number(word) : word.charCodeAt(0))) as [number, number];
  const by = Math.max(1, Math.abs(Number(step ?? 1)));
  const count = Math.floor(Math.abs(to - from) / by) + 1;
  const values = Array.from({ length: count }, (_, i) => from + (to < from ? -i : i) * by);
  if (!areNumbers) return values.map((value) => String.fromCharCode(value));
  const isPadded = [first, last].some((word) => /^-?0\d/.test(word));
  const width = isPadded ? Math.max(first.length, last.length) : 0;
  return values.map((value) =>
    value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0'),
  );
}
