/** Variables that healthcheck_rabbitmq passes to the `rabbitmq` check, which sees no alarms without a login. */
export const RABBITMQ_LOGIN = [
  'KOLLA_PROBE_MANAGEMENT',
  'KOLLA_PROBE_USER',
  'KOLLA_PROBE_PASSWORD',
  'KOLLA_PROBE_PASSWORD_FILE',
] as const;

/** Kolla's scripts that this binary replaces. */
export const KOLLA_NAMES = [
  'healthcheck_curl',
  'healthcheck_port',
  'healthcheck_listen',
  'healthcheck_socket',
  'healthcheck_filemod',
  'healthcheck_mariadb',
  'healthcheck_rabbitmq',
] as const;

export type KollaName = (typeof KOLLA_NAMES)[number];
