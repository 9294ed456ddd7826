/**
 * What the checks that talk to one server over the network have in common: which one it is, and what its answer means.
 *
 *   HOST[:PORT] -> an address, its port the protocol's own unless given
 *   --user, --password-file -> login.ts -> a login, its file read anew at each question
 *   --tls, --ca-file ... -> tls.ts -> how to verify the server, or undefined for a talk in the clear
 *   address, login, TLS -> src/net/protocols/ -> what the server says of itself -> answered() -> verdict
 *
 * What can fail: UsageError before anything is asked. From then on every failure is a verdict with its reason, a file that can't
 * be read among them. Nothing here loads TLS, a file or a protocol before it is asked for: a TCP check must stay cheap.
 */
import { isIPv6 } from 'node:net';
import { UsageError, messageOf } from '../../core/errors.ts';
import { parseAddress, type Address } from '../../net/address.ts';
import type { Answer } from '../../net/protocols/answer.ts';
import { healthyAs, unhealthy, type Verdict } from '../verdict.ts';

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

/**
 * What a server said, as a verdict; what kept it from saying anything, as the reason.
 * @param caFile of the authorities that are trusted, for messages
 */
export async function answered(ask: () => Promise<Answer>, caFile?: string): Promise<Verdict> {
  try {
    const { isGood, says } = await ask();
    return isGood ? healthyAs(says) : unhealthy(says);
  } catch (error) {
    const { networkReason } = await import('../../net/network-error.ts');
    return unhealthy(networkReason(error, caFile));
  }
}
