/** /etc/resolv.conf and /etc/hosts, parsed as by the C library: resolv.conf(5), hosts(5). */
import { isIP } from 'node:net';

export interface ResolverConf {
  readonly servers: readonly string[];
  /** The search list in order. */
  readonly search: readonly string[];
  /** A name with at least this many dots is first tried without the search list. */
  readonly ndots: number;
  /** Timeout for a response from one server. */
  readonly timeoutMs: number;
  /** Number of rounds over all servers. */
  readonly attempts: number;
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
}

const SERVERS_MAX = 3;
const MOST = { ndots: 15, timeout: 30, attempts: 5 } as const;

export function readConf(text: string): ResolverConf {
  const servers: string[] = [];
  let search: readonly string[] = [];
  const options = { ndots: 1, timeout: 5, attempts: 2 };
  const flags = new Set<string>();
  for (const line of text.split('\n')) {
    const [word, ...values] = line.trim().split(/\s+/);
    const [server = ''] = values;
    if (word === 'nameserver' && isIP(server) !== 0 && servers.length < SERVERS_MAX) servers.push(server);
    // If the option is repeated, the last one applies.
    if (word === 'search' || word === 'domain') search = values.map((name) => name.replace(/\.$/, '')).filter(Boolean);
    if (word !== 'options') continue;
    for (const value of values) {
      const [, name, number] = /^(ndots|timeout|attempts):(\d{1,9})$/.exec(value) ?? [];
      const key = name as keyof typeof options;
      if (name === undefined) flags.add(value);
      else options[key] = Math.min(Number(number), MOST[key]);
    }
  }
  return {
    servers: servers.length === 0 ? ['127.0.0.1'] : servers,
    search,
    ndots: options.ndots,
    timeoutMs: Math.max(1, options.timeout) * 1000,
    attempts: Math.max(1, options.attempts),
    flags,
  };
}

/** The names to query in order. A name with a final dot is absolute. */
export function candidates(name: string, { search, ndots }: ResolverConf): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const longer = search.map((end) => `${name}.${end}`);
  return name.split('.').length > ndots ? [name, ...longer] : [...longer, name];
}

/** The addresses of a name in the hosts file, in order. */
export function addressesIn(hosts: string, name: string): string[] {
  const wanted = name.replace(/\.$/, '').toLowerCase();
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((each) => each.toLowerCase() === wanted) ? [address] : [];
  });
}

const NUMBER = /^(?:0x[\da-f]{1,8}|0[0-7]{0,11}|[1-9]\d{0,9})$/i;

/**
 * An address without a lookup; undefined for a name. IPv4 as in inet_aton(3): up to four numbers, decimal, octal or
 * hexadecimal, of which the last fills the remaining bytes (127.1).
 */
export function numericAddress(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const parts = text.split('.');
  if (parts.length > 4 || !parts.every((part) => NUMBER.test(part))) return undefined;
  const numbers = parts.map((part) => (/^0\d/.test(part) ? Number.parseInt(part, 8) : Number(part)));
  const [first, last] = [numbers.slice(0, -1), numbers.at(-1)!];
  const room = 4 - first.length;
  if (first.some((byte) => byte > 255) || last >= 256 ** room) return undefined;
  const rest = Array.from({ length: room }, (_, i) => Math.floor(last / 256 ** (room - 1 - i)) % 256);
  return [...first, ...rest].join('.');
}
