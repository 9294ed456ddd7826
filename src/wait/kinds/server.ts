import { exchange, type Understood } from '../../net/dial/conversation.ts';
import { networkReason, plainReason } from '../../net/dial/network-error.ts';
import type { Answer } from '../../net/protocols/answer.ts';
import { checkCaFile } from '../dependency/ca-file.ts';
import { endpointsHint, retry, unanswered } from '../dependency/retry.ts';
import type { ServerKind } from '../dependency/dependency.ts';
import { met, pending } from '../dependency/verdict.ts';
import {
  ASK_VERSION,
  PROTOCOL_HEADER,
  understandGreeting,
  understandStart,
  understandVersion,
} from '../../net/protocols/greetings.ts';

type Greeted = Pick<ServerKind, 'word' | 'aliases' | 'means' | 'defaultPort'> & {
  readonly say?: Buffer;
  readonly understand: (bytes: Buffer) => Understood<Answer>;
  /** What to do if the server requires TLS; undefined if its protocol always begins without. */
  readonly advice?: string;
  readonly isTls?: boolean;
};

/** A server that sends a greeting or responds to a request, without a login. */
function greetedKind({ say, understand, advice, isTls = false, ...kind }: Greeted): ServerKind {
  return {
    ...kind,
    form: 'server',
    make: ({ host, port, isNegated }, { self, trust }) => ({
      hint: () => endpointsHint(host, self),
      async wait(report, signal) {
        const tls = isTls ? trust : undefined;
        checkCaFile(tls?.caFile);
        const attempt = async (bounded: AbortSignal) => {
          try {
            const { isGood, says } = await exchange({ at: { host, port }, say, understand, tls, signal: bounded });
            return isGood ? met(says) : pending(says);
          } catch (error) {
            return unanswered(
              error,
              advice === undefined ? networkReason(error, tls?.caFile) : plainReason(error, advice),
            );
          }
        };
        return await retry(attempt, { isNegated, report, signal });
      },
    }),
  };
}

export const mysql = greetedKind({
  word: 'mysql',
  aliases: [],
  means: 'MySQL or MariaDB sends its greeting, so it accepts logins; default port 3306',
  defaultPort: 3306,
  understand: understandGreeting,
});

export const amqp = greetedKind({
  word: 'amqp',
  aliases: [],
  means: 'the broker starts AMQP 0-9-1, so it accepts logins; default port 5672',
  defaultPort: 5672,
  say: PROTOCOL_HEADER,
  understand: understandStart,
  advice: 'use amqps://',
});

export const amqps = greetedKind({
  word: 'amqps',
  aliases: [],
  means: 'the same over TLS, verified with --ca-file; default port 5671',
  defaultPort: 5671,
  say: PROTOCOL_HEADER,
  understand: understandStart,
  isTls: true,
});

export const memcached = greetedKind({
  word: 'memcached',
  aliases: [],
  means: 'memcached reports its version; default port 11211',
  defaultPort: 11_211,
  say: ASK_VERSION,
  understand: understandVersion,
  advice: 'use tcp://',
});
