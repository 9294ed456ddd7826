import { hostname } from 'node:os';
import type { Headers } from '../codec/head.ts';

/**
 * Whether who asks is in this pod, or comes by `kubectl port-forward`: the connection itself is from loopback, and the
 * request is for a name of our own. What a header says of where it was forwarded from is never believed.
 */
export function isLocal({ remoteAddress, headers }: Peer): boolean {
  return isLoopback(remoteAddress) && isOwnName(headers.get('host'));
}

interface Peer {
  readonly remoteAddress: string | undefined;
  readonly headers: Headers;
}

/** `::ffff:127.0.0.1` too, as a server on all addresses sees IPv4. */
function isLoopback(address: string | undefined): boolean {
  const bare = address?.toLowerCase().replace(/^::ffff:(?=\d)/, '');
  return bare === '::1' || /^127\.\d+\.\d+\.\d+$/.test(bare ?? '');
}

/**
 * Whether a Host header means this pod. A page that a browser on the same machine has loaded from elsewhere may let its own name
 * point to loopback (DNS rebinding), and would read the answer: the header then holds that name.
 */
function isOwnName(host: string | undefined): boolean {
  const [, v6, name] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host ?? '') ?? [];
  if (v6 !== undefined) return isLoopback(v6);
  const bare = name?.toLowerCase().replace(/\.$/, '');
  return bare === 'localhost' || bare === hostname().toLowerCase() || isLoopback(bare);
}
