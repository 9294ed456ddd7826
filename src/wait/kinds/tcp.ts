import { refusalOf, tryDial } from '../../net/dial.ts';
import { formatAddress } from '../../net/address.ts';
import type { ServerKind } from '../dependency.ts';
import { endpointsHint, retry, unanswered } from '../retry.ts';
import { met } from '../verdict.ts';

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
