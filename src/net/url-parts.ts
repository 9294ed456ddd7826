import type { Address } from './dial/address.ts';

/** Where a URL leads to: its host without brackets, and its port or that of https or http. */
export function addressOf({ protocol, hostname, port }: URL): Address {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/**
 * The login of a URL as the value of an Authorization header; undefined without one.
 * @throws Error for a broken escape, without the login
 */
export function basicLogin({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  let login: string;
  try {
    login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch (cause) {
    throw new Error("the URL's login has an invalid escape: write % as %25", { cause });
  }
  return `Basic ${Buffer.from(login).toString('base64')}`;
}
