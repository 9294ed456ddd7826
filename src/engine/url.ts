import { isIPv4, isShortIPv6 } from './net/address.ts';

/**
 * URLs that need no normalization: http, a lower-case host or address, a path without anything to encode or resolve. Others are
 * left to kolla-pod, with Node's parser.
 */
const PLAIN =
  /^http:\/\/(?<host>[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:]+\])(?::(?<port>[1-9]\d{0,4}))?(?<path>(?:\/[\w.~!$&()*+,;=:@-]*)*)(?<search>\?[\w.~!$&()*+,;=:@/?-]+)?$/;
const DOTS = /\/\.{1,2}(?:\/|$)/;
/** A host that ends in a number is an IPv4 address in some notation. */
const NUMBER = /(?:^|\.)(?:0x[\da-f]*|\d+)$/;
const HTTP_PORT = 80;
const PORT_MAX = 65_535;

export class URL {
  readonly protocol: string = 'http:';
  readonly username = '';
  readonly password = '';
  readonly hostname: string;
  /** Empty for http's default port. */
  readonly port: string;
  readonly pathname: string;
  readonly search: string;

  /** @throws TypeError if the URL has another form */
  constructor(text: string) {
    const groups = groupsOf(text);
    if (groups === undefined) throw new TypeError('Invalid URL');
    const { host = '', port, path = '', search = '' } = groups;
    this.hostname = host;
    this.port = port === undefined || Number(port) === HTTP_PORT ? '' : port;
    this.pathname = path === '' ? '/' : path;
    this.search = search;
  }

  get host(): string {
    return this.port === '' ? this.hostname : `${this.hostname}:${this.port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  static parse(text: string): URL | null {
    return groupsOf(text) === undefined ? null : new URL(text);
  }
}

function groupsOf(text: string): Record<string, string | undefined> | undefined {
  const groups: Record<string, string | undefined> | undefined = PLAIN.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { host = '', port = '', path = '' } = groups;
  if (DOTS.test(path) || Number(port) > PORT_MAX) return undefined;
  const isName = host.startsWith('[') ? isShortIPv6(host.slice(1, -1)) : !NUMBER.test(host) || isIPv4(host);
  return isName && !host.includes('..') && !host.includes('xn--') ? groups : undefined;
}
