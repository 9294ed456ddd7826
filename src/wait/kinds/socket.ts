import { stat } from 'node:fs/promises';
import { insideHint } from '../hint.ts';
import { dial, refusalOf } from '../../net/dial.ts';
import type { PathKind } from '../kind.ts';
import { retry } from '../retry.ts';
import { met, passedOver, pending, type Verdict } from '../verdict.ts';
import { absence, LOOK_AGAIN } from './file.ts';

export const socket: PathKind = {
  form: 'path',
  word: 'socket',
  aliases: ['unix'],
  means: 'something accepts connections on that Unix socket',
  make: ({ path, isNegated }, { self }) => ({
    hint: () => insideHint(self, path),
    wait: (report, signal) =>
      retry((bounded) => knock(path, isNegated, bounded), { isNegated, report, signal, backoff: LOOK_AGAIN }),
  }),
};

async function knock(path: string, isNegated: boolean, signal: AbortSignal): Promise<Verdict> {
  try {
    // To a plain file a connection is refused, as where a server has left its socket behind.
    if (!(await stat(path)).isSocket()) return pending('is there, but no socket');
  } catch (error) {
    return await absence(path, error as NodeJS.ErrnoException, isNegated);
  }
  const error = await dial({ path }, signal);
  if (error === undefined) return met('accepts connections');
  const refusal = refusalOf(error);
  // One that is too busy (EAGAIN), or none of our business (EACCES), is there.
  return refusal === 'ECONNREFUSED' || refusal === 'ENOENT' ? pending(refusal) : passedOver(refusal);
}
