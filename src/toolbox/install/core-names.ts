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
  'kubernetes-entrypoint',
  'healthcheck_port',
  'healthcheck_listen',
  'healthcheck_socket',
  'healthcheck_filemod',
  'healthcheck_curl',
] as const;

/** The binary that a name links to. */
export function binaryOf(name: string, hasCore: boolean): 'kolla-core' | 'kolla-pod' {
  return hasCore && (CORE_NAMES as readonly string[]).includes(name) ? 'kolla-core' : 'kolla-pod';
}
