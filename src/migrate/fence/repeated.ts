import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../core/backoff.ts';
import { isUndone } from '../../mysql/index.ts';

/** Longer than a cluster needs to evict a node that has failed. */
const REPEAT_MS = 30_000;
const BACKOFF = { minMs: 10, maxMs: 500 };

/** Retries a statement for a while after Galera or InnoDB has rolled it back for a transient reason. */
export async function repeated<T>(statement: () => Promise<T>): Promise<T> {
  const end = performance.now() + REPEAT_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      return await statement();
    } catch (error) {
      if (!isUndone(error) || performance.now() > end) throw error;
      await sleep(backoffMs(attempt, BACKOFF));
    }
  }
}
