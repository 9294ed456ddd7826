/**
 * Work whose duration depends on a pattern of config.json. Node cannot stop a regular expression; kolla-core can
 * (src/engine/bounded.ts).
 * @param limit message when the time limit is exceeded
 * @param code exit code in that case
 */
export function bounded<T>(work: () => T, _limit: string, _code: number): T {
  return work();
}
