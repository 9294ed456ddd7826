import { UsageError } from '../../core/errors.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import { parseAddress } from '../../net/dial/address.ts';
import type {
  Dependency,
  ObjectDependency,
  PathDependency,
  ServerDependency,
  UrlDependency,
  Kind,
  ObjectKind,
  PathKind,
  ServerKind,
  UrlKind,
} from '../dependency/dependency.ts';
import { BUILT_IN_WORDS } from '../dependency/resource-words.ts';
import { checkName, wrong, type Part, type Source } from './source.ts';
import { parseOptions } from './options.ts';

const SEPARATORS = { object: '/', server: '://', url: '://', path: ':' } as const satisfies Record<
  Kind['form'],
  string
>;

/** The kinds that a text may name. */
export interface Vocabulary {
  readonly kinds: readonly Kind[];
  /** Any other resource in the API; undefined if `kinds` has all that the texts need. */
  readonly any: ObjectKind | undefined;
}

const wordsOf = ({ word, aliases }: Kind): readonly string[] => [word, ...aliases];

/** Whether the text begins with a word of these kinds. */
export function isOfKinds(kinds: readonly Kind[], text: string): boolean {
  const [, word = ''] = FIRST_WORD.exec(text) ?? [];
  return kinds.some((kind) => wordsOf(kind).includes(word));
}

const FIRST_WORD = /^!?([^/:@?&#]*)/;

/**
 * Parses one dependency, strictly: a typo must not cause half an hour of futile waiting.
 *
 *   [!]KIND/NAME[@NAMESPACE][?OPTIONS]     [!]KIND[@NAMESPACE]?label=...[&OPTIONS]
 *   [!]tcp://HOST:PORT[?timeout=...]       [!]http://...[#timeout=...]       [!]file:/PATH[?timeout=...]
 *
 * Throws UsageError with the column and the nearest valid word, and never repeats a password.
 */
export function parseWith(vocabulary: Vocabulary, text: string): Dependency {
  const source = { text };
  if (text === '') throw new UsageError(`wait: a dependency is empty; there is ${validOf(vocabulary)}`);
  const isNegated = text.startsWith('!');
  const start = isNegated ? 1 : 0;
  const [, word = ''] = FIRST_WORD.exec(text) ?? [];
  const end = start + word.length;
  const kind = kindOf(vocabulary, source, word, start + 1, text[end]);
  const separator = SEPARATORS[kind.form];
  const common = { source, word, isNegated };
  if (kind.form === 'object') return parseObject(kind, common, end, kind === vocabulary.any);
  if (!text.startsWith(separator, end)) throw wrong(source, end + 1, `'${word}' is followed by '${separator}'`);
  const rest = { value: text.slice(end + separator.length), column: end + separator.length + 1 };
  if (kind.form === 'server') return parseServer(kind, common, rest);
  return kind.form === 'url' ? parseUrl(kind, common, rest) : parsePath(kind, common, rest);
}

interface Begun {
  readonly source: Source;
  readonly word: string;
  readonly isNegated: boolean;
}

/** Valid prefixes, for messages. */
function validOf({ kinds }: Vocabulary): string {
  return [...kinds.map((kind) => kind.word + SEPARATORS[kind.form]), 'RESOURCE.GROUP/NAME'].join(', ');
}

function kindOf(vocabulary: Vocabulary, source: Source, word: string, column: number, next: string | undefined): Kind {
  const { kinds, any } = vocabulary;
  const kind = kinds.find((one) => wordsOf(one).includes(word));
  if (kind !== undefined) return kind;
  const isResource = next !== ':' && /^[A-Za-z][A-Za-z0-9-]*(?:\.[a-z0-9-]+)*$/.test(word);
  const isKnown = word.includes('.') || BUILT_IN_WORDS.has(word.toLowerCase());
  // A very short word is similar to every other one.
  const words = kinds.flatMap(wordsOf).filter(isLong);
  const isUnlike = () => nearest(word, [...words, ...[...BUILT_IN_WORDS].filter(isLong)]) === undefined;
  if (any !== undefined && isResource && (isKnown || isUnlike())) return any;
  // `ftp://x` is not a typo of an object's short name.
  const ofServers = kinds.filter(({ form }) => SEPARATORS[form] !== '/').flatMap(wordsOf);
  const near = nearest(word.toLowerCase(), next === ':' ? ofServers.filter(isLong) : words);
  const instead = near === undefined ? `there is ${validOf(vocabulary)}` : `did you mean '${near}'?`;
  throw wrong(source, column, `'${word}' is not a kind of wait; ${instead}`);
}

function isLong(word: string): boolean {
  return word.length > 2;
}

/** The parts before and after a separator. Without a separator, the second part is undefined. */
function split({ value, column }: Part, mark: string): [Part, Part | undefined] {
  const at = value.indexOf(mark);
  if (at === -1) return [{ value, column }, undefined];
  return [
    { value: value.slice(0, at), column },
    { value: value.slice(at + 1), column: column + at + 1 },
  ];
}

/** @param isAny whether the word names the resource */
function parseObject(
  kind: ObjectKind,
  { source, word, isNegated }: Begun,
  end: number,
  isAny: boolean,
): ObjectDependency {
  const { text } = source;
  const isByLabels = text[end] === '@' || text[end] === '?';
  if (text[end] !== '/' && !(isByLabels && kind.by === 'name or labels'))
    throw wrong(
      source,
      end + 1,
      `'${word}' is followed by '/'${kind.by === 'name' ? ' and a name' : " and a name, or by '?label='"}`,
    );
  const skip = isByLabels ? 0 : 1;
  const [place, query] = split({ value: text.slice(end + skip), column: end + skip + 1 }, '?');
  const [name, namespace] = split(place, '@');
  const { what, by, nameRule, hasNamespace, canBeNegated } = kind;
  if (isNegated && !canBeNegated) throw wrong(source, 1, `${what} can't be negated`);
  if (!isByLabels) checkName(source, what, name, nameRule);
  if (namespace !== undefined && !hasNamespace) throw wrong(source, namespace.column - 1, `${what} has no namespace`);
  if (namespace !== undefined) checkName(source, 'a namespace', namespace, 'label');
  const withLabels = by === 'name or labels' ? ['label'] : [];
  const options = parseOptions(source, query, ['timeout', ...withLabels, ...kind.options]);
  if (isByLabels && options.labels.length === 0 && !options.isOnOwnNode)
    throw wrong(source, end + 1, `${kind.word} needs a name or label=`);
  if (!isByLabels && options.labels.length > 0)
    throw wrong(source, query?.column ?? 1, `label= replaces the name: ${kind.word}?label=...`);
  return {
    form: 'object',
    of: kind,
    kind: isAny ? word : kind.word,
    text,
    isNegated,
    name: isByLabels ? undefined : name.value,
    namespace: namespace?.value,
    ...options,
  };
}

function parseServer(kind: ServerKind, { source, isNegated }: Begun, rest: Part): ServerDependency {
  refuseAccount(source, rest);
  const [place, query] = split(rest, '?');
  const port = kind.defaultPort === undefined ? '' : `:${kind.defaultPort}`;
  const [bare] = /^(?:\[[^\]]+\]|[^:\s/]+)$/.exec(place.value) ?? [];
  let address;
  try {
    address = parseAddress(bare === undefined ? place.value : bare + port);
  } catch (cause) {
    const mark = place.value.indexOf('#');
    if (mark !== -1) throw wrong(source, place.column + mark, "options of this wait follow '?', not '#'", cause);
    const what = kind.defaultPort === undefined ? 'HOST:PORT' : 'HOST[:PORT]';
    throw wrong(source, place.column, `${what} is missing or invalid; write IPv6 addresses in brackets`, cause);
  }
  const { timeoutMs } = parseOptions(source, query, ['timeout']);
  return { form: 'server', of: kind, kind: kind.word, text: source.text, isNegated, timeoutMs, ...address };
}

function parseUrl(kind: UrlKind, { source, isNegated }: Begun, rest: Part): UrlDependency {
  const [place, fragment] = split(rest, '#');
  if (fragment !== undefined) refuseAccount(source, fragment);
  // A space in a URL would be encoded silently and sent.
  const blank = /\s/.exec(place.value);
  if (blank !== null) throw wrong(source, place.column + blank.index, 'a URL has no spaces');
  const url = URL.parse(`${kind.word}://${place.value}`);
  if (url === null || url.hostname === '' || place.value.startsWith('/'))
    throw wrong(source, place.column, 'HOST[:PORT][/PATH] is missing or invalid');
  if (url.username !== '' || url.password !== '') refuseAccount(source, { ...place, value: '@' });
  const { timeoutMs } = parseOptions(source, fragment, ['timeout']);
  return { form: 'url', of: kind, kind: kind.word, text: source.text, isNegated, timeoutMs, url };
}

function parsePath(kind: PathKind, { source, isNegated }: Begun, rest: Part): PathDependency {
  const [path, query] = split(rest, '?');
  if (!path.value.startsWith('/'))
    throw wrong(source, path.column, `an absolute path is missing${didYouMeanPath(kind, path)}`);
  if (path.value.includes('\0'))
    throw wrong(source, path.column + path.value.indexOf('\0'), 'a path cannot contain NUL');
  const { timeoutMs } = parseOptions(source, query, ['timeout']);
  return { form: 'path', of: kind, kind: kind.word, text: source.text, isNegated, timeoutMs, path: path.value };
}

function didYouMeanPath({ word }: PathKind, { value }: Part): string {
  return didYouMean(`${word}:${value}`, [`${word}:/${value}`]);
}

function refuseAccount(source: Source, { value, column }: Part): void {
  if (value.includes('@'))
    throw wrong(
      source,
      column,
      'waits do not log in, and a password in a URL would appear in logs: remove the part before the @',
    );
}
