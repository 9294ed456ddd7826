/**
 * URLs of http and https, as the URL Standard reads and writes them, so as Node does: what may be written in several ways has
 * one form here. Only names in other scripts are none; they are written in their ASCII form.
 */
import { hostOf } from './url-host.ts';

/** Spaces around it count for nothing, and line breaks nowhere; `\` is `/`, and of these any number begins the host. */
const FORM = /^(?<scheme>https?):[/\\]*(?<authority>[^/\\?#]*)(?<path>[^?#]*)(?<search>\?[^#]*)?(?<hash>#.*)?$/is;
const AUTHORITY = /^(?:(?<login>.*)@)?(?<host>\[.*\]|[^:]*)(?::(?<port>\d*))?$/s;
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };
const PORT_MAX = 65_535;

/** What is escaped in each part, besides control characters and all that is not ASCII. */
const ESCAPED = {
  hash: ' "<>`',
  search: ' "#<>\'',
  path: ' "#<>?^`{}',
  login: ' "#<>?^`{}/:;=@[\\]|',
} as const;
const [DOT, DOTS] = [/^(?:\.|%2e)$/i, /^(?:\.|%2e){2}$/i];

export class URL {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  /** Empty for the scheme's default port. */
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly href: string;

  /** @throws TypeError for anything else */
  constructor(text: string) {
    const parts = partsOf(text);
    if (parts === undefined) throw new TypeError('Invalid URL');
    const { scheme, username, password, host, port, path, search, hash } = parts;
    this.protocol = `${scheme}:`;
    this.username = username;
    this.password = password;
    this.hostname = host;
    this.port = port;
    this.pathname = path;
    this.search = search === '?' ? '' : search;
    this.hash = hash === '#' ? '' : hash;
    const login = username + (password === '' ? '' : `:${password}`);
    this.href = `${scheme}://${login === '' ? '' : `${login}@`}${this.host}${path}${search}${hash}`;
  }

  get host(): string {
    return this.port === '' ? this.hostname : `${this.hostname}:${this.port}`;
  }

  get origin(): string {
    return `${this.protocol}//${this.host}`;
  }

  static parse(text: string): URL | null {
    return partsOf(text) === undefined ? null : new URL(text);
  }
}

interface Parts {
  readonly scheme: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
  /** With `?`, which may be all of it. */
  readonly search: string;
  readonly hash: string;
}

function partsOf(text: string): Parts | undefined {
  // eslint-disable-next-line no-control-regex -- those that the standard names
  const whole = text.toWellFormed().replaceAll(/^[\0- ]+|[\0- ]+$|[\t\n\r]/g, '');
  const form: Readonly<Record<string, string | undefined>> | undefined = FORM.exec(whole)?.groups;
  const place: Readonly<Record<string, string | undefined>> | undefined = AUTHORITY.exec(
    form?.['authority'] ?? '',
  )?.groups;
  const host = hostOf(place?.['host'] ?? '');
  const number = Number(place?.['port'] ?? '');
  if (form === undefined || place === undefined || host === undefined || number > PORT_MAX) return undefined;
  const scheme = form['scheme']!.toLowerCase();
  const { login = '', port = '' } = place;
  const [, username = '', password = ''] = /^([^:]*):?(.*)$/s.exec(login) ?? [];
  return {
    scheme,
    username: escaped(username, ESCAPED.login),
    password: escaped(password, ESCAPED.login),
    host,
    port: port === '' || number === PORTS[scheme] ? '' : String(number),
    path: pathOf(form['path'] ?? ''),
    search: escaped(form['search'] ?? '', ESCAPED.search),
    hash: escaped(form['hash'] ?? '', ESCAPED.hash),
  };
}

/** Resolves `.` and `..`. */
function pathOf(text: string): string {
  const kept: string[] = [];
  const segments = text.split(/[/\\]/).slice(1);
  for (const [i, segment] of segments.entries()) {
    const isDots = DOTS.test(segment);
    if (isDots) kept.pop();
    else if (!DOT.test(segment)) kept.push(escaped(segment, ESCAPED.path));
    // A directory keeps its final slash.
    if (i === segments.length - 1 && (isDots || DOT.test(segment))) kept.push('');
  }
  return `/${kept.join('/')}`;
}

function escaped(text: string, some: string): string {
  let result = '';
  for (const character of text) {
    const isPlain = character > '\x1f' && character < '\x7f' && !some.includes(character);
    result += isPlain ? character : escapeOf(character);
  }
  return result;
}

function escapeOf(character: string): string {
  if (character > '\x7f') return encodeURIComponent(character);
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
