import type { Socket } from 'node:net';
import { defined } from '../../core/defined.ts';
import type { Address } from '../dial/address.ts';
import { dial } from '../dial/dial.ts';
import { overTls } from '../dial/secure.ts';
import { tlsOptions } from '../dial/tls-ask.ts';
import { dialProxy, dialThrough, proxyLogin } from '../proxy.ts';

/** How a server is verified, and as whom we log in, as PEM texts. */
export interface RouteTls {
  /** The trusted CAs; without them, the image's. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the certificate must have, if it is not the host's. */
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined;
}

/** Where a connection leads to, and how. */
export interface Route {
  readonly to: Address;
  /** Undefined for http. */
  readonly tls: RouteTls | undefined;
  /** An HTTP proxy. */
  readonly proxy?: URL | undefined;
  /** Opens the TCP connection in place of dial(), for other proxies. */
  readonly dial?: ((signal: AbortSignal) => Promise<Socket>) | undefined;
}

const TLS_FIELDS = ['ca', 'cert', 'key', 'serverName', 'insecure'] as const;

export function isSameRoute(a: Route, b: Route): boolean {
  return (
    a.to.host === b.to.host &&
    a.to.port === b.to.port &&
    a.proxy?.href === b.proxy?.href &&
    a.dial === b.dial &&
    (a.tls === undefined) === (b.tls === undefined) &&
    (a.tls === b.tls || TLS_FIELDS.every((field) => a.tls?.[field] === b.tls?.[field]))
  );
}

/**
 * How the server is requested on this route: of a proxy for http:// with its whole URL (RFC 9112, 3.2.2), and with our
 * login at the proxy.
 * @param origin the server's: `http://es:9200`
 * @param target path and query
 */
export function forProxy({ tls, proxy }: Route, origin: string, target: string) {
  const isPlain = proxy !== undefined && tls === undefined;
  return { target: isPlain ? origin + target : target, headers: isPlain ? proxyLogin(proxy) : {} };
}

/**
 * @param onConnect called before the handshake
 * @throws as dial() and dialThrough(); TLS's error
 */
export async function connectTo(route: Route, signal: AbortSignal, onConnect: () => void): Promise<Socket> {
  const { to, tls } = route;
  const connection = await opened(route, signal);
  onConnect();
  if (tls === undefined) return connection;
  const { ca, cert, key, serverName, insecure } = tls;
  const options = { ...tlsOptions(to.host, { serverName, insecure }), ...defined({ ca, cert, key }) };
  // As Node's https and curl: a server of several protocols must not choose another one.
  return await overTls(connection, { ...options, ALPNProtocols: ['http/1.1'] }, signal);
}

async function opened({ to, tls, proxy, dial: special }: Route, signal: AbortSignal): Promise<Socket> {
  if (special !== undefined) return await special(signal);
  if (proxy === undefined) return await dial(to, signal);
  // For http:// the request names its server itself (RFC 9112, 3.2.2).
  return tls === undefined ? await dialProxy(proxy, signal) : await dialThrough(proxy, to, signal);
}
