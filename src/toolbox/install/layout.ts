import { shimFor } from '../../probe/kolla/shim.ts';
import { KOLLA_NAMES } from '../../probe/kolla/variables.ts';
import { SUDO_SHIM } from '../../container/sudo/shim.ts';

/** Where images, and volumes that are mounted into them, have the binary and its names. */
export const PLACE = '/opt/kolla-pod';

/** What lies beside the binary `kolla-pod`: links to it, and scripts that become it. */
export interface Layout {
  /** By folder, the names that are links to the binary. */
  readonly links: Readonly<Record<string, readonly string[]>>;
  /** By folder and name, scripts. */
  readonly scripts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * @param names of the binary
 * @param place where the containers that use it see the folder
 */
export function layoutOf(names: readonly string[], place: string): Layout {
  return {
    links: { bin: names },
    scripts: {
      'kolla-bin': Object.fromEntries(KOLLA_NAMES.map((name) => [name, shimFor(name, `${place}/kolla-pod`)])),
      // A name of another program; its folder is for the PATH of images without root alone.
      'rootless-bin': { sudo: SUDO_SHIM },
    },
  };
}
