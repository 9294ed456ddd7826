import { CURL_VARIABLES } from './curl/words.ts';

/** Which variables each script reads: a shim sends these, and no others. */
export const KOLLA_VARIABLES = {
  healthcheck_curl: CURL_VARIABLES,
  healthcheck_port: ['KOLLA_PROBE_TIMEOUT'],
  healthcheck_listen: ['KOLLA_PROBE_TIMEOUT'],
  healthcheck_socket: ['KOLLA_PROBE_TIMEOUT'],
  healthcheck_filemod: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type KollaName = keyof typeof KOLLA_VARIABLES;

export const KOLLA_NAMES = Object.keys(KOLLA_VARIABLES) as readonly KollaName[];
