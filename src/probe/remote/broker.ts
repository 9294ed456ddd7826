import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import { trustOfUrl, type TlsMode } from '../../cli/tls-option.ts';
import type { Address } from '../../net/dial/address.ts';
import type { Answer, Tell } from '../../net/protocols/answer.ts';
import type { TlsAsk } from '../../net/dial/tls-ask.ts';
import type { CheckResult } from '../ask/verdict.ts';
import { answered, serverOf } from './server.ts';
import { tlsOf, type VerifyValues } from './tls.ts';
import { readLogin, requireUser, type LoginValues } from './login.ts';

export const AMQP_OPTIONS = [
  {
    flag: 'vhost',
    type: 'string',
    env: 'KOLLA_PROBE_VHOST',
    default: '/',
    help: 'virtual host to open after the login',
    example: 'nova',
  },
  {
    flag: 'declare',
    type: 'boolean',
    env: 'KOLLA_PROBE_DECLARE',
    help: 'declare and delete a queue after the login',
    details: 'Needs a majority of the cluster. The user needs permission to configure amq.gen-*.',
    example: 'true',
  },
] as const satisfies readonly Option[];

const [PORT, TLS_PORT] = [5672, 5671];

/** `amqp` or `amqps` of a URL, if it is one, and the address. */
function partsOf(text: string): { readonly scheme: string | undefined; readonly address: string } {
  const [, scheme, address = text] = /^(amqps?):\/\/(.*?)\/?$/.exec(text) ?? [];
  return { scheme, address };
}

/** The TLS mode without --tls, which depends on the scheme or the port. */
export function modeAt(word: string, text: string): TlsMode {
  const { scheme, address } = partsOf(text);
  const isTls = scheme === undefined ? serverOf(word, address, PORT).port === TLS_PORT : scheme === 'amqps';
  return isTls ? 'verify' : 'off';
}

/**
 * The broker's address, with the port of its protocol, and how its certificate is verified.
 * @param text HOST[:PORT], or a URL with `amqp://` or `amqps://`
 * @throws UsageError for an address or TLS options
 */
export function brokerAt(word: string, text: string, options: VerifyValues): { at: Address; tls: TlsAsk | undefined } {
  const { scheme, address } = partsOf(text);
  if (scheme !== undefined) trustOfUrl(options, { protocol: `${scheme}:` }, `${scheme}://`, `${word}: `);
  const tls = tlsOf(word, options, modeAt(word, text));
  return { at: serverOf(word, address, tls === undefined ? PORT : TLS_PORT), tls };
}

/** Maximum length of a short string in AMQP. */
const LONGEST_BYTES = 255;

/**
 * Validates the login of an AMQP check.
 * @throws UsageError for a password without a user, a queue without a login, and for an invalid virtual host
 */
export function checkBroker(word: string, options: BrokerAsk['options']): void {
  requireUser(word, options);
  if (options.declare && options.user === undefined) {
    throw new UsageError(`${word}: --declare needs a login: give --user and --password-file`);
  }
  if (Buffer.byteLength(options.vhost) <= LONGEST_BYTES) return;
  throw new UsageError(`${word}: --vhost is longer than the ${LONGEST_BYTES} bytes that AMQP has for it`);
}

/** The hosts that a check depends on. A restart does not bring back a quorum, so --declare is not for liveness. */
export function hostsOf(at: Address, { declare }: Values<typeof AMQP_OPTIONS>): readonly string[] {
  return declare ? [at.host, 'the other nodes of its cluster'] : [at.host];
}

export interface BrokerAsk {
  readonly at: Address;
  readonly tls: TlsAsk | undefined;
  readonly options: LoginValues & Values<typeof AMQP_OPTIONS>;
  /** Whether to wait for the AMQP greeting if there is no login. */
  readonly greeting: boolean;
  /** The result if the broker works, but rejects the account; by default unhealthy with the reason. */
  readonly whenRejected?: (says: string) => Answer;
}

/** Checks a broker over AMQP, with the login if there is one. */
export function askBroker(
  { at, tls, options, greeting, whenRejected }: BrokerAsk,
  signal: AbortSignal,
  tell: Tell = () => {},
): Promise<CheckResult> {
  return answered(async () => {
    const login = await readLogin(options);
    // Loaded lazily, so that a TCP check stays fast. amqplib is not used, because it can neither stop before a login
    // nor report the current step.
    const { converse } = await import('../../net/dial/conversation.ts');
    const { amqpKnock, amqpStart, amqpVisit } = await import('../../net/protocols/amqp.ts');
    using talk = await converse(at, { signal, tls });
    if (login?.user === undefined) return greeting ? await amqpStart(talk, tell) : await amqpKnock(talk, tell);
    const { user, password } = login;
    const { vhost, declare } = options;
    const answer = await amqpVisit(talk, { user, password, vhost, declare }, tell);
    return answer.isRejected ? (whenRejected?.(answer.says) ?? answer) : answer;
  }, tls);
}
