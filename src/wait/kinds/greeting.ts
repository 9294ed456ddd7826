import { messageOf } from '../../core/errors.ts';
import { exchange, type Understood } from '../../net/conversation.ts';
import type { Answer } from '../../net/protocols/answer.ts';
import { endpointsHint } from '../hint.ts';
import type { ServerKind } from '../kind.ts';
import { lookup, retry } from '../retry.ts';
import { unanswered } from '../unanswered.ts';
import { met, pending } from '../verdict.ts';

/** A server that says what it is to whoever connects, or asks it so. Nobody logs in. */
export function greetedKind({
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
    make: ({ host, port, isNegated }) => ({
      hint: () => endpointsHint(host),
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
              return unanswered(error, messageOf(error));
            }
          },
          { isNegated, report, signal },
        ),
    }),
  };
}
