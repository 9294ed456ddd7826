import { isIPv6 } from 'node:net';
import { UsageError, messageOf } from '../../core/errors.ts';
import { parseAddress, type Address } from '../../net/address.ts';

/**
 * The address that `HOST`, `HOST:PORT`, `[IPV6]:PORT` or a bare IPv6 address names.
 * @throws UsageError
 */
export function serverOf(word: string, text: string, defaultPort: number): Address {
  refuseUrl(word, text);
  if (isIPv6(text)) return { host: text, port: defaultPort };
  const hasPort = /:\d+$/.test(text);
  try {
    return parseAddress(hasPort ? text : `${text}:${defaultPort}`);
  } catch (cause) {
    throw new UsageError(`${word}: ${hasPort ? messageOf(cause) : `'${text}' is not HOST or HOST:PORT`}`, { cause });
  }
}

/**
 * The same where no protocol has a port of its own.
 * @throws UsageError
 */
export function addressOf(word: string, text: string): Address {
  refuseUrl(word, text);
  try {
    return parseAddress(text);
  } catch (cause) {
    throw new UsageError(`${word}: ${messageOf(cause)}`, { cause });
  }
}

/** It may hold a password, which we would not repeat. */
function refuseUrl(word: string, text: string): void {
  if (!text.includes('://') && !text.includes('@')) return;
  throw new UsageError(`${word}: this takes no URL, but HOST or HOST:PORT; a login in it would be seen by others`);
}
