import { UsageError } from '../cli/errors.ts';
import { nearest } from '../cli/nearest.ts';
import { parseAddress, type Address } from '../platform/address.ts';

/** One thing to wait for. `text` is how its user wrote it, and how every message names it. */
export type Dependency = JobDependency | TcpDependency | HttpDependency;

export interface JobDependency {
  readonly kind: 'job';
  readonly text: string;
  readonly name: string;
  /** Undefined: the Pod's own. */
  readonly namespace: string | undefined;
}

export interface TcpDependency {
  readonly kind: 'tcp';
  readonly text: string;
  readonly address: Address;
}

export interface HttpDependency {
  readonly kind: 'http';
  readonly text: string;
  readonly url: URL;
}

/** What a text begins with, and what stands between that and the rest. */
const FORMS = {
  job: { separator: '/', parse: parseJob },
  tcp: { separator: '://', parse: parseTcp },
  http: { separator: '://', parse: parseHttp },
  https: { separator: '://', parse: parseHttp },
} as const satisfies Record<string, { separator: string; parse: Parse }>;

type Parse = (text: string, rest: string, column: number) => Dependency;

const VALID = Object.entries(FORMS).map(([word, { separator }]) => `${word}${separator}`);

/**
 * Reads `job/NAME[@NAMESPACE]`, `tcp://HOST:PORT`, `http://...` or `https://...`. Strictly: a name with a blank would be
 * waited for in vain. Throws UsageError with the column and the nearest word that would have been right.
 */
export function parseDependency(text: string): Dependency {
  if (text === '') throw new UsageError(`wait: a dependency is empty; there is ${VALID.join(', ')}`);
  const [word = ''] = /^[^/:]*/.exec(text) ?? [];
  if (!Object.hasOwn(FORMS, word)) {
    const near = nearest(word, Object.keys(FORMS));
    const instead = near === undefined ? `there is ${VALID.join(', ')}` : `did you mean '${near}'?`;
    throw wrong(text, 1, `'${word}' is nothing to wait for; ${instead}`);
  }
  const { separator, parse } = FORMS[word as keyof typeof FORMS];
  if (!text.startsWith(separator, word.length))
    throw wrong(text, word.length + 1, `'${word}' is followed by '${separator}'`);
  const start = word.length + separator.length;
  return parse(text, text.slice(start), start + 1);
}

function parseJob(text: string, rest: string, column: number): JobDependency {
  const at = rest.indexOf('@');
  const name = at === -1 ? rest : rest.slice(0, at);
  const namespace = at === -1 ? undefined : rest.slice(at + 1);
  checkName(text, 'a Job', name, column, /[^a-z0-9.-]/, 253);
  if (namespace !== undefined) checkName(text, 'a namespace', namespace, column + at + 1, /[^a-z0-9-]/, 63);
  return { kind: 'job', text, name, namespace };
}

function checkName(text: string, what: string, name: string, column: number, stray: RegExp, most: number): void {
  if (name === '') throw wrong(text, column, `the name of ${what} is missing`);
  const found = stray.exec(name);
  if (found !== null)
    throw wrong(text, column + found.index, `'${found[0]}' is not in the name of ${what}; it has a-z, 0-9, '-'`);
  const edge = /^[.-]/.test(name) ? 0 : /[.-]$/.test(name) ? name.length - 1 : -1;
  if (edge !== -1) throw wrong(text, column + edge, `the name of ${what} begins and ends with a letter or digit`);
  if (name.length > most) throw wrong(text, column + most, `the name of ${what} has at most ${most} characters`);
}

function parseTcp(text: string, rest: string, column: number): TcpDependency {
  try {
    return { kind: 'tcp', text, address: parseAddress(rest) };
  } catch (cause) {
    throw wrong(text, column, 'HOST:PORT is missing or wrong; IPv6 addresses stand in brackets', cause);
  }
}

function parseHttp(text: string, _: string, column: number): HttpDependency {
  const url = URL.parse(text);
  // A blank in a URL is quietly encoded, and would be asked for.
  const blank = /\s/.exec(text);
  if (blank !== null) throw wrong(text, blank.index + 1, 'a URL has no blanks');
  if (url === null || url.hostname === '') throw wrong(text, column, 'HOST[:PORT][/PATH] is missing or wrong');
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `wait '${url.protocol}//...@${url.host}': a password in a URL would be seen in logs; leave it out`,
    );
  return { kind: 'http', text, url };
}

function wrong(text: string, column: number, why: string, cause?: unknown): UsageError {
  return new UsageError(`wait '${text}', column ${column}: ${why}`, { cause });
}
