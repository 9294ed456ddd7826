/** Every name of the binary that works. One that does not is not here, and so is in no image. */
export const NAMES = [
  'kolla-pod',
  'kolla-init',
  'kolla-db-sync',
  'kolla-probe',
  'kolla-log-ship',
  'kolla_start',
  'kolla_set_configs',
  'kolla_copy_cacerts',
] as const;
