import { dial, refusalOf } from '../../net/dial.ts';
import { endpointsHint } from '../hint.ts';
import type { ServerKind } from '../kind.ts';
import { lookup, retry } from '../retry.ts';
import { unanswered } from '../unanswered.ts';
import { met } from '../verdict.ts';

export const tcp: ServerKind = {
  form: 'server',
  word: 'tcp',
  aliases: [],
  means: 'something accepts connections there',
  defaultPort: undefined,
  make: ({ host, port, isNegated }) => ({
    hint: () => endpointsHint(host),
    wait: (report, signal) =>
      retry(
        async (bounded) => {
          const refusal = await dial({ host, port, lookup }, bounded);
          return refusal === undefined ? met('accepts connections') : unanswered(refusal, refusalOf(refusal));
        },
        { isNegated, report, signal },
      ),
  }),
};
