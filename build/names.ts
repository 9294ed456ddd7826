/** The names of the binary's commands, our own and Kolla's. A name that is missing here is missing in all images. */
export const NAMES = [
  'kolla-pod',
  'kolla-init',
  'kolla-db-sync',
  'kolla-bootstrap',
  'kolla-probe',
  'kolla-log-ship',
  'kolla-sidecar',
  'kolla-operator',
  'kubernetes-entrypoint',
  'kolla_start',
  'kolla_set_configs',
  'kolla_copy_cacerts',
  'healthcheck_curl',
  'healthcheck_port',
  'healthcheck_listen',
  'healthcheck_socket',
  'healthcheck_filemod',
  'healthcheck_mariadb',
  'healthcheck_rabbitmq',
] as const;

/**
 * Names of other programs, only for images that run without root: `dist/rootless-bin` must not be on the PATH of a
 * user's own machine.
 */
export const ROOTLESS_NAMES = ['sudo'] as const;

/** Names that kolla-core alone has. kolla-pod runs it for them. */
export const CORE_ONLY_NAMES: readonly string[] = ['kolla-log-ship', 'kolla-sidecar'];

/** Every name of the binary. */
export const ALL_NAMES = [...NAMES, ...ROOTLESS_NAMES] as const;
