import { UsageError } from '../../core/errors.ts';
import type { Values } from '../../cli/option.ts';
import { givenBy } from '../../cli/secret-option.ts';
import { isTlsMode, trustOfUrls, type TlsMode } from '../../cli/tls-option.ts';
import type { ElasticsearchOptions, Target } from './elasticsearch.ts';
import type { LoginOptions } from './login.ts';
import { API_KEY, PASSWORD, type SINK_OPTIONS } from './options.ts';
import type { ServerOptions } from './server.ts';

type Options = Values<typeof SINK_OPTIONS>;

const KINDS = ['elasticsearch', 'opensearch'] as const;
type Kind = (typeof KINDS)[number];

/** A destination, with its name in the state directory and in metrics. */
export interface Destination {
  /** The name: `elasticsearch-es-9200`, `stdout`. */
  readonly name: string;
  /** The server; undefined for stdout. */
  readonly server: ElasticsearchOptions | undefined;
}

/** One `--to`: its kind and URLs. */
interface ToServer {
  readonly kind: Kind;
  readonly urls: string[];
}
type To = ToServer | { readonly kind: 'stdout'; readonly urls: string[] };

/**
 * Maps options to destinations, in order. Values of options next to `--to` (`--url`, credentials, certificates) apply
 * to the destination without its own URL, or to the only server; `opensearch=VALUE` applies to that kind. So no
 * password is sent to another server.
 * @throws UsageError with the option's name
 */
export function destinationsOf(options: Options): readonly [Destination, ...Destination[]] {
  const words = options.to.length > 0 ? options.to : [options.url.length > 0 ? 'elasticsearch' : 'stdout'];
  const tos = toList(words);
  const servers = tos.filter(({ kind }) => kind !== 'stdout');
  const [without = servers.length === 1 ? servers[0] : undefined, second] = servers.filter(
    ({ urls }) => urls.length === 0,
  );
  if (second !== undefined)
    throw new UsageError(
      `--to ${second.kind}: two can't share --url; give it its own: --to ${second.kind}=https://...`,
    );
  checkUse(options, tos, without);
  const target = targetOf(options);
  const found = tos.map((to): Destination => {
    if (to.kind === 'stdout') return { name: 'stdout', server: undefined };
    const server = { ...serverOf(to, options, to === without), target };
    return { name: nameOf(to.kind, server.urls[0]), server };
  });
  const names = found.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`--to: ${twice} is given twice`);
  return found as [Destination, ...Destination[]];
}

/** Parses `elasticsearch` or `opensearch=https://os:9200`. A URL alone adds a host to the previous one. */
function toList(words: readonly string[]): To[] {
  const tos: To[] = [];
  const all = listOf(words);
  const hasLogin = all.some((word) => word.includes('@'));
  for (const [at, word] of all.entries()) {
    const last = tos.at(-1);
    if (/^https?:/.test(word) && last !== undefined && last.urls.length > 0) last.urls.push(word);
    else tos.push(toOf(word, at > 0 && hasLogin));
  }
  return tos;
}

/** @param mayBeSecret whether the word may be a part of a password that contains commas */
function toOf(word: string, mayBeSecret: boolean): To {
  const [kind = '', ...rest] = word.split('=');
  const isKnown = kind === 'stdout' || isKind(kind);
  // The rest is not shown, because it may contain credentials.
  const begin = /^[\w-]*$/.test(word) ? word : `${/^(?:[\w-]+=)?(?:\w+:\/\/)?/.exec(word)?.[0]}...`;
  const shown = mayBeSecret ? '...' : begin;
  if (!isKnown)
    throw new UsageError(`--to: '${shown}' is none of elasticsearch, opensearch (with =URL or without), stdout`);
  if (kind === 'stdout' && rest.length > 0) throw new UsageError('--to stdout takes no URL');
  return { kind, urls: rest.length === 0 ? [] : [rest.join('=')] };
}

function isKind(word: string): word is Kind {
  return KINDS.some((kind) => kind === word);
}

function listOf(words: readonly string[]): string[] {
  const all = words.flatMap((word) => word.split(',')).map((word) => word.trim());
  return all.filter((word) => word !== '');
}

/** Every value must apply to a destination. */
function checkUse(options: Options, tos: readonly To[], main: To | undefined): void {
  const { user, passwordFile, apiKeyFile, caFile, certFile, keyFile, password, apiKey } = options;
  if (options.url.length > 0 && (main === undefined || main.urls.length > 0))
    throw new UsageError('--url: no --to uses it; each has its own URL, or is stdout');
  const lists = {
    user,
    'password-file': passwordFile,
    'api-key-file': apiKeyFile,
    tls: options.tls,
    'ca-file': caFile,
  };
  const more = { ...lists, 'cert-file': certFile, 'key-file': keyFile };
  for (const [flag, values] of Object.entries(more)) {
    for (const value of values) {
      const kind = kindOf(value);
      const isUsed = kind === undefined ? main !== undefined : tos.some((to) => to.kind === kind);
      if (!isUsed) throw new UsageError(`--${flag}: ${kind === undefined ? forWhom(tos, flag) : `no --to is ${kind}`}`);
    }
  }
  if (main === undefined && (password ?? apiKey) !== undefined)
    throw new UsageError(`a password or API key from the environment: ${forWhom(tos, 'password-file')}`);
}

function forWhom(tos: readonly To[], flag: string): string {
  const some = tos.find(({ kind }) => kind !== 'stdout');
  return some === undefined ? 'no --to is a server' : `for which server? --${flag} ${some.kind}=...`;
}

/** The kind to which a value applies, if it names one. */
function kindOf(value: string): Kind | undefined {
  return KINDS.find((kind) => value.startsWith(`${kind}=`));
}

function serverOf({ kind, urls }: ToServer, options: Options, isMain: boolean): ServerOptions {
  const words = urls.length > 0 ? urls : listOf(options.url);
  if (words.length === 0) throw new UsageError(`--to ${kind} needs --url, such as --url https://${kind}:9200`);
  const flag = urls.length > 0 ? '--to' : '--url';
  const own = (values: readonly string[]): string | undefined => {
    const named = values.findLast((value) => kindOf(value) === kind);
    if (named !== undefined) return named.slice(kind.length + 1);
    return isMain ? values.findLast((value) => kindOf(value) === undefined) : undefined;
  };
  const urlsOf = words.map((word) => urlOf(word, flag)) as [URL, ...URL[]];
  const servers = urlsOf.map((url) => ({ url, called: `${flag} ${url.origin}` }));
  const trust = trustOfUrls({ tls: modeOf(own(options.tls)), caFile: own(options.caFile) }, servers);
  const tls = { ...trust, certFile: own(options.certFile), keyFile: own(options.keyFile) };
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined))
    throw new UsageError('--cert-file and --key-file belong together');
  const login = loginOf({
    user: own(options.user),
    password: isMain ? options.password : undefined,
    passwordFile: own(options.passwordFile),
    apiKey: isMain ? options.apiKey : undefined,
    apiKeyFile: own(options.apiKeyFile),
  });
  return { kind, urls: urlsOf, login, tls };
}

function modeOf(word: string | undefined): TlsMode | undefined {
  if (word === undefined || isTlsMode(word)) return word;
  throw new UsageError(`--tls: '${word}' is not verify, require or off`);
}

function urlOf(word: string, flag: string): URL {
  const url = URL.parse(word);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${flag} is not an http:// or https:// URL`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${flag}: it must not contain credentials; give --user and --password-file`);
  return url;
}

/** An invalid name is one error here, but on the server one dead letter per line. */
function targetOf({ indexPrefix, dataStream }: Options): Target {
  const name = dataStream ?? indexPrefix;
  const flag = dataStream === undefined ? '--index-prefix' : '--data-stream';
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
    throw new UsageError(`${flag} '${name}': an index name starts with a-z or 0-9, and has only these and . _ -`);
  return dataStream === undefined ? { indexPrefix: `${name}-` } : { dataStream: name };
}

type LoginWords = Readonly<Record<'user' | 'password' | 'passwordFile' | 'apiKey' | 'apiKeyFile', string | undefined>>;

function loginOf(words: LoginWords): LoginOptions | undefined {
  const { user, password, passwordFile, apiKey, apiKeyFile } = words;
  const passwordBy = givenBy(PASSWORD, words);
  if (givenBy(API_KEY, words) !== undefined) {
    if (user !== undefined) throw new UsageError('--user and an API key: use only one of them');
    return apiKeyFile === undefined ? { apiKey: apiKey ?? '' } : { apiKeyFile };
  }
  if (user === undefined) {
    if (passwordBy !== undefined) throw new UsageError('a password needs its --user');
    return undefined;
  }
  if (passwordFile !== undefined) return { user, passwordFile };
  if (password === undefined) throw new UsageError('--user needs --password-file or KOLLA_LOG_SHIP_PASSWORD');
  return { user, password };
}

/** Must be valid as a file name and as a metric's label. */
function nameOf(kind: Kind, { host, pathname }: URL): string {
  return `${kind}-${host}${pathname}`.replace(/[^\w.-]+/g, '-').replace(/-$/, '');
}
