/** The part of `node:dns` that kolla-core uses. */
import type { AbortSignal } from './abort.ts';
import type { LookupFunction } from './net.ts';
import { resolveName } from './net/resolver/index.ts';

/** Aborted when the connection is destroyed. */
export const lookup: LookupFunction = (host, { signal }, callback) => void tell(host, signal, callback);

async function tell(host: string, signal: AbortSignal, callback: Parameters<LookupFunction>[2]): Promise<void> {
  let found: readonly string[];
  try {
    found = await resolveName(host, signal);
  } catch (error) {
    return callback(error as Error, []);
  }
  return callback(
    null,
    found.map((address) => ({ address })),
  );
}
