import { hostname } from 'node:os';
import { dial } from '../../platform/dial.ts';
import type { PathKind } from '../kind.ts';
import { retry } from '../retry.ts';
import { met, pending } from '../verdict.ts';
import { LOOK_AGAIN } from './file.ts';

export const socket: PathKind = {
  form: 'path',
  word: 'socket',
  aliases: ['unix'],
  means: 'something accepts connections on that Unix socket',
  make: ({ path, isNegated }) => ({
    hint: () => `kubectl exec ${hostname()} -- ls -la ${path}`,
    wait: (report, signal) =>
      retry(
        async (bounded) => {
          const refusal = await dial({ path }, bounded);
          return refusal === undefined ? met('accepts connections') : pending(reasonOf(refusal));
        },
        { isNegated, report, signal, backoff: LOOK_AGAIN },
      ),
  }),
};

function reasonOf(code: string): string {
  if (code === 'ENOENT') return 'not there yet';
  return code === 'ENOTSOCK' ? 'ENOTSOCK: it is no socket' : code;
}
