import { hostname } from 'node:os';
import type { Headers } from '../codec/head.ts';

/**
 * Whether the client is within this Pod, or uses `kubectl port-forward`: the connection is from loopback, and the Host
 * header is one of our names. Forwarding headers are never trusted.
 */
export function isLocal({ remoteAddress, headers }: Peer): boolean {
  return isLoopback(remoteAddress) && isOwnName(headers.get('host'));
}

interface Peer {
  readonly remoteAddress: string | undefined;
  readonly headers: Headers;
}

/** Includes `::ffff:127.0.0.1`, which a server on all addresses sees. */
function isLoopback(address: string | undefined): boolean {
  const bare = address?.toLowerCase().replace(/^::ffff:(?=\d)/, '');
  return bare === '::1' || /^127\.\d+\.\d+\.\d+$/.test(bare ?? '');
}

/**
 * Whether a Host header names this Pod. A page from elsewhere in a browser on the same machine may resolve its own name
 * to loopback (DNS rebinding) to read the response: then the header has that name.
 */
function isOwnName(host: string | undefined): boolean {
  const [, v6, name] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host ?? '') ?? [];
  if (v6 !== undefined) return isLoopback(v6);
  const bare = name?.toLowerCase().replace(/\.$/, '');
  return bare === 'localhost' || bare === hostname().toLowerCase() || isLoopback(bare);
}
