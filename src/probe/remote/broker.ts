import type { Option, Values } from '../../cli/option.ts';
import type { Address } from '../../platform/address.ts';
import type { Tell } from '../../platform/protocol/answer.ts';
import type { TlsAsk } from '../../platform/tls-ask.ts';
import type { Verdict } from '../verdict.ts';
import { answered } from './answered.ts';
import { readLogin, type LoginValues } from './login.ts';

export const AMQP_OPTIONS = [
  {
    flag: 'vhost',
    type: 'string',
    env: 'KOLLA_PROBE_VHOST',
    default: '/',
    help: 'the virtual host to open after the login',
    example: 'nova',
  },
] as const satisfies readonly Option[];

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
    const { converse } = await import('../../platform/conversation.ts');
    const { amqpKnock, amqpStart, amqpVisit } = await import('../../platform/protocol/amqp.ts');
    using talk = await converse(at, { signal, tls });
    if (login?.user === undefined) return greeting ? await amqpStart(talk, tell) : await amqpKnock(talk, tell);
    return await amqpVisit(talk, { user: login.user, password: login.password, vhost: options.vhost }, tell);
  }, tls?.caFile);
}
