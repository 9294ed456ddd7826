import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_LIMIT_MS } from './limits.ts';

const POLL_MS = 50;

/**
 * Asks again and again until the answer is not undefined: for servers that tell nobody when they are up.
 * @param what for the error: `mariadb to answer`
 * @param ask returns undefined for "not yet"; a throw ends the wait
 * @param timeoutMs more where a server takes long to come up
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  timeoutMs: number = EVENT_LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s for ${what}`);
    await sleep(POLL_MS);
  }
}
