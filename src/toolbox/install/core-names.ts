/**
 * The names of the small binary `kolla-core`, which contains no Node (docs/adr/0017-kolla-core.md). If it is installed
 * next to `kolla-pod`, they link to it.
 */
export const CORE_NAMES = [
  'kolla-init',
  'kolla_start',
  'kolla_set_configs',
  'kolla_copy_cacerts',
  'sudo',
  'kolla-probe',
  'kolla-sidecar',
  'kolla-log-ship',
  'kubernetes-entrypoint',
  'healthcheck_port',
  'healthcheck_listen',
  'healthcheck_socket',
  'healthcheck_filemod',
  'healthcheck_curl',
  'healthcheck_mariadb',
  'healthcheck_rabbitmq',
] as const;

/** A name of kolla-core to which nothing links: kolla-pod executes it for `--stay`, and has all else of it. */
const NOT_LINKED = 'kolla-db-sync';

/** Every name that kolla-core has. */
export const CORE_PROGRAMS = [...CORE_NAMES, NOT_LINKED] as const;

export function isLinked(name: string): boolean {
  return name !== NOT_LINKED;
}

export function isCoreName(name: string): boolean {
  return (CORE_NAMES as readonly string[]).includes(name);
}

/** The binary to which a name links. */
export function binaryOf(name: string, hasCore: boolean): 'kolla-core' | 'kolla-pod' {
  return hasCore && isCoreName(name) ? 'kolla-core' : 'kolla-pod';
}
