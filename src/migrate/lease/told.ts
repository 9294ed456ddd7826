import { readLease } from './ask.ts';
import type { Told } from './hold.ts';
import { saysSo } from './object.ts';
import type { LeaseSite } from './site.ts';

const ANSWER_MS = 10_000;

/** Whether the Lease says so already. False too when it can't be read: who then takes it says why. */
export async function isTold(site: LeaseSite, news: Omit<Told, 'token'>, signal: AbortSignal): Promise<boolean> {
  const { isLastBeforeRollout } = site;
  try {
    const lease = await readLease(site, { withinMs: ANSWER_MS, signal });
    return saysSo(lease, { ...news, isLastBeforeRollout });
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
