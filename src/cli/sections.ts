/** All sections of kolla-pod.yaml: one per helper, validated by that helper. */
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
