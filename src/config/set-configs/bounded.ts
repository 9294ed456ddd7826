/**
 * Work whose length a pattern of config.json decides. Node cannot stop a regular expression; kolla-core, which root runs, can
 * (src/engine/bounded.ts).
 * @param limit what to say when it is over
 */
export function bounded<T>(work: () => T, _limit: string): T {
  return work();
}
