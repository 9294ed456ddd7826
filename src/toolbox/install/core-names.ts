/**
 * The names that the small binary `kolla-core` answers to, which has no Node in it (docs/adr/0017-kolla-core.md). Where it lies
 * beside `kolla-pod`, they are links to it.
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

/** The file that a name is a link to. */
export function binaryOf(name: string, hasCore: boolean): 'kolla-core' | 'kolla-pod' {
  return hasCore && (CORE_NAMES as readonly string[]).includes(name) ? 'kolla-core' : 'kolla-pod';
}
