import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import type { Address } from '../../net/address.ts';
import type { Tell } from '../../net/protocols/answer.ts';
import type { TlsAsk } from '../../net/tls-ask.ts';
import type { Verdict } from '../verdict.ts';
import { answered } from './server.ts';
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
] as const satisfies readonly Option[];

/** A short string of AMQP. */
const LONGEST_BYTES = 255;

/**
 * Looks over the login of a check that asks by AMQP.
 * @throws UsageError for a password without a user, and for a virtual host that AMQP can't name
 */
export function checkBroker(word: string, options: BrokerAsk['options']): void {
  requireUser(word, options);
  if (Buffer.byteLength(options.vhost) <= LONGEST_BYTES) return;
  throw new UsageError(`${word}: --vhost is longer than the ${LONGEST_BYTES} bytes that AMQP has for it`);
}

export interface BrokerAsk {
  readonly at: Address;
  readonly tls: TlsAsk | undefined;
  readonly options: LoginValues & Values<typeof AMQP_OPTIONS>;
  /** Without a login: whether to have the broker begin AMQP. */
  readonly greeting: boolean;
}

/** Asks a broker by AMQP, as far as the login reaches. */
export function askBroker(
  { at, tls, options, greeting }: BrokerAsk,
  signal: AbortSignal,
  tell: Tell = () => {},
): Promise<Verdict> {
  return answered(async () => {
    const login = await readLogin(options);
    // Lazy, for the cost of a TCP check. Not amqplib: it can neither end before a login nor say which step is waited for.
    const { converse } = await import('../../net/conversation.ts');
    const { amqpKnock, amqpStart, amqpVisit } = await import('../../net/protocols/amqp.ts');
    using talk = await converse(at, { signal, tls });
    if (login?.user === undefined) return greeting ? await amqpStart(talk, tell) : await amqpKnock(talk, tell);
    return await amqpVisit(talk, { user: login.user, password: login.password, vhost: options.vhost }, tell);
  }, tls?.caFile);
}
