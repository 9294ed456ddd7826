/**
 * What kolla-core leaves to kolla-pod, in the place of the files that have it (build/core/bundle.ts). Who needs one of them has become
 * kolla-pod before: kolla-init.ts, kolla-probe.ts, kubernetes-entrypoint.ts.
 */
function absent(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`kolla-core has no ${what}: kolla-pod has it`));
}

export const requestByClient = absent('TLS');
export const connectKube = absent('client for the API server');
export const exchange = absent('greetings of brokers and databases');
export const jsonpathFinder = absent('JSONPath');

/** Of src/wait/effects.ts: waits for servers and files share nothing. */
export const effectsFor = (): object => ({});
