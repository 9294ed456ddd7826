import { isIPv4, type Socket } from 'node:net';
import { formatAddress, type Address } from './dial/address.ts';
import { AnswerReader } from './codec/answer.ts';
import { encodeHead } from './codec/head.ts';
import { dial } from './dial/dial.ts';
import { dialTls } from './dial/secure.ts';
import { addressOf, basicLogin } from './url-parts.ts';

const OK = 200;

/** The header with the login of a proxy's URL; empty without one. */
export function proxyLogin(proxy: URL): Readonly<Record<string, string>> {
  const login = basicLogin(proxy);
  return login === undefined ? {} : { 'proxy-authorization': login };
}

/**
 * A connection to the proxy.
 * @throws as dial() and dialTls()
 */
export async function dialProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
  const at = addressOf(proxy);
  return proxy.protocol === 'https:' ? await dialTls(at, { signal, tls: {} }) : await dial(at, signal);
}

/**
 * A connection through the proxy to another server (CONNECT, RFC 9110, 9.3.6).
 * @throws as dialProxy(), and for a proxy that refuses
 */
export async function dialThrough(proxy: URL, to: Address, signal: AbortSignal): Promise<Socket> {
  const socket = await dialProxy(proxy, signal);
  const abort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let status: number | undefined;
  const reader = new AnswerReader(
    (head) => (status = head.status),
    () => {
      if (status === OK) reject(new Error(`the proxy ${proxy.host} sends more than its response`));
    },
  );
  const read = (piece: Buffer) => {
    try {
      reader.push(piece);
      if (status !== undefined) resolve(status);
    } catch (error) {
      reject(error);
    }
  };
  const ended = () => reject(new Error(`the proxy ${proxy.host} closes the connection`));
  socket.on('data', read).on('error', reject).on('end', ended);
  const target = formatAddress(to);
  socket.write(encodeHead(`CONNECT ${target} HTTP/1.1`, [['Host', target], ...Object.entries(proxyLogin(proxy))]));
  try {
    if ((await promise) === OK) return socket;
    throw new Error(`the proxy ${proxy.host} refuses a tunnel to ${target}: status ${status}`);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.off('data', read).off('error', reject).off('end', ended);
  }
}

/**
 * Whether NO_PROXY has the host: `*`, a host with or without its port, `.domain`, `*.domain`, or a range of IPv4 addresses
 * (`10.0.0.1-10.0.0.9`), as in Node's agents.
 */
export function isExempt({ host, port }: Address, noProxy: string): boolean {
  const name = host.toLowerCase();
  return noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => {
      if (entry === '*' || entry === name || entry === `${name}:${port}`) return true;
      if (entry.startsWith('*.') || (entry.startsWith('.') && entry.length > 1)) {
        const domain = entry.replace(/^\*/, '');
        return name.endsWith(domain) || (entry.startsWith('.') && name === domain.slice(1));
      }
      const [first = '', last = ''] = entry.split('-').map((each) => each.trim());
      if (![name, first, last].every(isIPv4)) return false;
      return numberOf(first) <= numberOf(name) && numberOf(name) <= numberOf(last);
    });
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}
