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

export function isCoreName(name: string): boolean {
  return (CORE_NAMES as readonly string[]).includes(name);
}

/** The binary to which a name links. */
export function binaryOf(name: string, hasCore: boolean): 'kolla-core' | 'kolla-pod' {
  return hasCore && isCoreName(name) ? 'kolla-core' : 'kolla-pod';
}
