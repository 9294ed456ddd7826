/**
 * Parts left to kolla-pod, replacing the files with them (build/core/bundle.ts). kolla-pod has taken over for their users
 * before: kolla-init.ts, kolla-probe.ts, kubernetes-entrypoint.ts.
 */
function absent(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`kolla-core has no ${what}: kolla-pod has it`));
}

export const dialTls = absent('TLS');
export const connectKube = absent('client for the API server');
export const exchange = absent('greetings of brokers and databases');

/** Replaces a part of src/wait/effects.ts: waits for servers and files share no state. */
export const effectsFor = (): object => ({});
