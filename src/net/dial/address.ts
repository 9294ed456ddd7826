import { messageOf, UsageError } from '../../core/errors.ts';

/** The address of a server. `host` has no brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `host:port` or `[v6]:port`. Throws RangeError. */
export function parseAddress(text: string): Address {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:\s/]+)):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port']);
  const host = match?.groups?.['v6'] ?? match?.groups?.['host'];
  if (host === undefined || port < 1 || port > 65_535) throw new RangeError(`'${text}' is not HOST:PORT`);
  return { host, port };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A listen address. Without a host, the server listens on all IPv4 and IPv6 addresses. */
export interface ListenAddress {
  readonly host?: string;
  /** 0 means any free port. */
  readonly port: number;
}

/** Parses `PORT`, `:PORT`, or an address for parseAddress(). Throws RangeError. */
export function parseListen(text: string): ListenAddress {
  const port = /^:?(\d{1,5})$/.exec(text)?.[1];
  if (port !== undefined && Number(port) <= 65_535) return { port: Number(port) };
  try {
    if (text.endsWith(':0')) return { ...parseAddress(text.replace(/0$/, '1')), port: 0 };
    return parseAddress(text);
  } catch {
    throw new RangeError(`'${text}' is not PORT or ADDRESS:PORT`);
  }
}

/** The value of --listen. @throws UsageError */
export function listenAddress(text: string): ListenAddress {
  try {
    return parseListen(text);
  } catch (error) {
    throw new UsageError(`--listen: ${messageOf(error)}`, { cause: error });
  }
}

export function formatListen({ host, port }: ListenAddress): string {
  return host === undefined ? `port ${port}` : formatAddress({ host, port });
}
