import { messageOf } from '../../core/errors.ts';
import { connectReason } from '../../net/connect-error.ts';
import { exchange, type Understood } from '../../net/conversation.ts';
import type { Answer } from '../../net/protocols/answer.ts';
import { endpointsHint, lookup, retry, unanswered } from '../retry.ts';
import type { ServerKind } from '../dependency.ts';
import { met, pending } from '../verdict.ts';
import {
  ASK_VERSION,
  PROTOCOL_HEADER,
  understandGreeting,
  understandStart,
  understandVersion,
} from '../../net/protocols/greetings.ts';

/** A server that sends a greeting or responds to a request, without a login. */
function greetedKind({
  say,
  understand,
  ...kind
}: Pick<ServerKind, 'word' | 'means' | 'defaultPort'> & {
  readonly say?: Buffer;
  readonly understand: (bytes: Buffer) => Understood<Answer>;
}): ServerKind {
  return {
    ...kind,
    form: 'server',
    aliases: [],
    make: ({ host, port, isNegated }, { self }) => ({
      hint: () => endpointsHint(host, self),
      wait: (report, signal) =>
        retry(
          async (bounded) => {
            try {
              const { isGood, says } = await exchange({
                at: { host, port, lookup },
                say,
                understand,
                signal: bounded,
              });
              return isGood ? met(says) : pending(says);
            } catch (error) {
              return unanswered(error, connectReason(error) ?? messageOf(error));
            }
          },
          { isNegated, report, signal },
        ),
    }),
  };
}

export const mysql = greetedKind({
  word: 'mysql',
  means: 'MySQL or MariaDB sends its greeting, so it accepts logins; default port 3306',
  defaultPort: 3306,
  understand: understandGreeting,
});

export const amqp = greetedKind({
  word: 'amqp',
  means: 'the broker starts AMQP 0-9-1, so it accepts logins; default port 5672',
  defaultPort: 5672,
  say: PROTOCOL_HEADER,
  understand: understandStart,
});

export const memcached = greetedKind({
  word: 'memcached',
  means: 'memcached reports its version; default port 11211',
  defaultPort: 11_211,
  say: ASK_VERSION,
  understand: understandVersion,
});
