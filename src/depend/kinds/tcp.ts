import { dial } from '../../platform/dial.ts';
import { endpointsHint } from '../hint.ts';
import type { ServerKind } from '../kind.ts';
import { retry } from '../retry.ts';
import { met, pending } from '../verdict.ts';

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
          const refusal = await dial({ host, port }, bounded);
          return refusal === undefined ? met('accepts connections') : pending(refusal);
        },
        { isNegated, report, signal },
      ),
  }),
};
