/** /etc/resolv.conf and /etc/hosts, parsed as by the C library: resolv.conf(5), hosts(5). */
import { isIP } from '../address.ts';

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
}

const SERVERS_MAX = 3;
const MOST = { ndots: 15, timeout: 30, attempts: 5 } as const;

export function readConf(text: string): ResolverConf {
  const servers: string[] = [];
  let search: readonly string[] = [];
  const options = { ndots: 1, timeout: 5, attempts: 2 };
  for (const line of text.split('\n')) {
    const [word, ...values] = line.trim().split(/\s+/);
    const [server = ''] = values;
    // fe80::1%eth0 names an interface, whose index is not looked up.
    const isUsable = isIP(server) !== 0 && !server.includes('%');
    if (word === 'nameserver' && isUsable && servers.length < SERVERS_MAX) servers.push(server);
    // If the option is repeated, the last one applies.
    if (word === 'search' || word === 'domain') search = values.map((name) => name.replace(/\.$/, '')).filter(Boolean);
    if (word !== 'options') continue;
    for (const [, name, value] of values.map((each) => /^(ndots|timeout|attempts):(\d{1,9})$/.exec(each) ?? [])) {
      const key = name as keyof typeof options;
      if (name !== undefined) options[key] = Math.min(Number(value), MOST[key]);
    }
  }
  return {
    servers: servers.length === 0 ? ['127.0.0.1'] : servers,
    search,
    ndots: options.ndots,
    timeoutMs: Math.max(1, options.timeout) * 1000,
    attempts: Math.max(1, options.attempts),
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
