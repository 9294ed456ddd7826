/**
 * Common parts of the checks that connect to one server: its address, and the meaning of its response.
 *
 *   HOST[:PORT] -> an address, with the protocol's default port
 *   --user, --password-file -> login.ts -> a login, its file read on each run
 *   --tls, --ca-file, ... -> tls.ts -> how to verify the server, or undefined without TLS
 *   address, login, TLS -> src/net/protocols/ -> the server's response -> answered() -> verdict
 *
 * Errors: UsageError before the check runs. After that every failure is a verdict with its reason, including an
 * unreadable file. TLS, files and protocols are loaded only on use: a TCP check must stay cheap.
 */
import { isIPv6 } from 'node:net';
import { UsageError, messageOf } from '../../core/errors.ts';
import { parseAddress, type Address } from '../../net/dial/address.ts';
import type { Answer } from '../../net/protocols/answer.ts';
import type { TlsAsk } from '../../net/dial/tls-ask.ts';
import { healthyAs, unhealthy, type CheckResult } from '../ask/verdict.ts';

/**
 * Parses `HOST`, `HOST:PORT`, `[IPV6]:PORT` or a bare IPv6 address.
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
 * Like serverOf(), but a port is required.
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

/** Rejects a URL. The message does not repeat it, because it may contain a password. */
function refuseUrl(word: string, text: string): void {
  if (!text.includes('://') && !text.includes('@')) return;
  throw new UsageError(`${word}: this is HOST or HOST:PORT, not a URL; credentials in it would be visible to others`);
}

/**
 * A server's response as a verdict; an error as the reason.
 * @param tls how the server is verified, for messages; undefined without TLS
 * @param advice how to check the server if it requires TLS
 */
export async function answered(
  ask: () => Promise<Answer>,
  tls: TlsAsk | undefined,
  advice = 'give --tls verify',
): Promise<CheckResult> {
  try {
    const { isGood, says } = await ask();
    return isGood ? healthyAs(says) : unhealthy(says);
  } catch (error) {
    const { networkReason, plainReason } = await import('../../net/dial/network-error.ts');
    return unhealthy(tls === undefined ? plainReason(error, advice) : networkReason(error, tls.caFile));
  }
}
