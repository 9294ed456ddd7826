/**
 * All sections of kolla-pod.yaml: one per helper, and those that several helpers read. Each is validated when it is
 * read.
 */
export const SECTIONS = [
  'init',
  'kubernetes-entrypoint',
  'db-sync',
  'bootstrap',
  'probe',
  'log-ship',
  'sidecar',
  'operator',
  'pod',
  'overlays',
  'services',
  'checks',
] as const;
