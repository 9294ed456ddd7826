import { shimFor } from '../../probe/kolla/shim.ts';
import { KOLLA_NAMES } from '../../probe/kolla/variables.ts';

/** Where images, and volumes that are mounted into them, have the binary and its names. */
export const PLACE = '/opt/kolla-pod';

/** What lies beside the binary `kolla-pod`: links to it, and scripts that become it. */
export interface Layout {
  /** By folder, the names that are links to the binary. */
  readonly links: Readonly<Record<string, readonly string[]>>;
  /** By folder and name, scripts. */
  readonly scripts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Names of other programs; their folder is for the PATH of images without root alone. */
const ROOTLESS_NAMES = ['sudo'];

/**
 * @param names of the binary
 * @param place where the containers that use it see the folder
 */
export function layoutOf(names: readonly string[], place: string): Layout {
  return {
    links: { bin: names, 'rootless-bin': ROOTLESS_NAMES },
    scripts: {
      'kolla-bin': Object.fromEntries(KOLLA_NAMES.map((name) => [name, shimFor(name, `${place}/kolla-pod`)])),
    },
  };
}
