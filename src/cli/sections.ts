/** Every section that kolla-pod.yaml may have: one a helper, checked by that helper. */
export const SECTIONS = [
  'init',
  'kubernetes-entrypoint',
  'db-sync',
  'bootstrap',
  'probe',
  'log-ship',
  'sidecar',
  'pod',
  'overlays',
  'services',
  'checks',
] as const;
