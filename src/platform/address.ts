/** Where something listens. `host` has no brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port` or `[v6]:port`. Throws RangeError. */
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
