/** What healthcheck_rabbitmq hands on to the check `rabbitmq`, which sees no alarms without a login. */
export const RABBITMQ_LOGIN = [
  'KOLLA_PROBE_MANAGEMENT',
  'KOLLA_PROBE_USER',
  'KOLLA_PROBE_PASSWORD',
  'KOLLA_PROBE_PASSWORD_FILE',
] as const;

/** Which variables each script reads: a shim sends these, and no others. */
export const KOLLA_VARIABLES = {
  healthcheck_curl: [
    'HEALTHCHECK_CURL_MAX_TIME',
    'HEALTHCHECK_CURL_USER_AGENT',
    'HEALTHCHECK_CURL_WRITE_OUT',
    'HEALTHCHECK_CURL_OUTPUT',
  ],
  healthcheck_port: ['KOLLA_PROBE_TIMEOUT'],
  healthcheck_listen: ['KOLLA_PROBE_TIMEOUT'],
  healthcheck_socket: ['KOLLA_PROBE_TIMEOUT'],
  healthcheck_filemod: [],
  healthcheck_mariadb: [
    'MYSQL_USERNAME',
    'MYSQL_HOST',
    'MYSQL_TCP_PORT',
    'MYSQL_UNIX_PORT',
    'MYSQL_PWD',
    'MYSQL_PASSWORD',
    'KOLLA_PROBE_TIMEOUT',
  ],
  healthcheck_rabbitmq: [
    'RABBITMQ_NODE_IP_ADDRESS',
    'RABBITMQ_NODE_PORT',
    'RABBITMQ_CONFIG_FILE',
    ...RABBITMQ_LOGIN,
    'KOLLA_PROBE_TIMEOUT',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type KollaName = keyof typeof KOLLA_VARIABLES;

export const KOLLA_NAMES = Object.keys(KOLLA_VARIABLES) as readonly KollaName[];
