/** src/net/request-by-client.ts without TLS: what asks https has become kolla-pod before (kolla-probe.ts). */
export function requestByClient(): Promise<never> {
  return Promise.reject(new Error('kolla-core has no TLS: ask with kolla-pod'));
}
