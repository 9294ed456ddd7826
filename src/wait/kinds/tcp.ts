import { refusalOf, tryDial } from '../../net/dial/dial.ts';
import { formatAddress } from '../../net/dial/address.ts';
import type { ServerKind } from '../dependency/dependency.ts';
import { endpointsHint, retry, unanswered } from '../dependency/retry.ts';
import { met } from '../dependency/verdict.ts';

export const tcp: ServerKind = {
  form: 'server',
  word: 'tcp',
  aliases: [],
  means: 'the address accepts connections',
  defaultPort: undefined,
  make: ({ host, port, isNegated }, { self }) => ({
    hint: () => endpointsHint(host, self),
    wait: (report, signal) =>
      retry(
        async (bounded) => {
          const refusal = await tryDial({ host, port }, bounded);
          return refusal === undefined
            ? met('accepts connections')
            : unanswered(refusal, refusalOf(refusal, formatAddress({ host, port })));
        },
        { isNegated, report, signal },
      ),
  }),
};
