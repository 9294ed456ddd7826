import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TarEntry } from '../../../tools/tar.ts';

/** Kolla's images with Open vSwitch. */
export type SwitchImage = 'openvswitch-db-server' | 'openvswitch-vswitchd';

const SCRIPTS = fileURLToPath(new URL('switch/', import.meta.url));

/**
 * Scripts with the effect of those in Kolla's image: `ovs_wrapper`, and what kolla_start sources. Their place is above
 * kolla-pod's names, one of which is an empty script. Kolla's loads the kernel's module, which user space does without.
 */
export async function switchScripts(image: SwitchImage): Promise<TarEntry[]> {
  const extend = ['extend-log.sh', ...(image === 'openvswitch-db-server' ? ['extend-db-server.sh'] : [])];
  const texts = await Promise.all(['ovs_wrapper.sh', ...extend].map((name) => readFile(SCRIPTS + name, 'utf8')));
  const [wrapper = '', ...sourced] = texts;
  return [
    { name: 'usr/local/bin/ovs_wrapper', mode: 0o755, content: wrapper },
    { name: 'usr/local/bin/kolla_extend_start', mode: 0o644, content: sourced.join('') },
  ];
}
