import { isIPv4, isIPv6 } from './net/address.ts';

/**
 * URLs that are written as they are sent: http, a host in lower case, a path with nothing in it to encode or to resolve. What else a
 * URL may be is for kolla-pod to read, whose Node has all of it.
 */
const PLAIN =
  /^http:\/\/(?<host>[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[::1\])(?::(?<port>[1-9]\d{0,4}))?(?<path>(?:\/[\w.~!$&()*+,;=:@-]*)*)(?<search>\?[\w.~!$&()*+,;=:@/?-]+)?$/;
const DOTS = /\/\.{1,2}(?:\/|$)/;
/** A host that ends in a number is an address, however that is written. */
const NUMBER = /(?:^|\.)(?:0x[\da-f]*|\d+)$/;
const HTTP_PORT = 80;
const PORT_MAX = 65_535;

export class URL {
  readonly protocol: string = 'http:';
  readonly username = '';
  readonly password = '';
  readonly hostname: string;
  /** Empty where it is http's own. */
  readonly port: string;
  readonly pathname: string;
  readonly search: string;

  /** @throws TypeError for one that is not plain */
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
  const isName = !NUMBER.test(host) || isIPv4(host) || isIPv6(host.slice(1, -1));
  return isName && !host.includes('..') && !host.includes('xn--') ? groups : undefined;
}
