import { BINARY_NAME } from '#binary-name';

/** Same version as in package.json; a test compares them. */
export const VERSION = '0.1.0';

/** The output of `--version`: `kolla-probe 0.1.0 (kolla-core)`. */
export function versionLine(name: string): string {
  return `${name} ${VERSION} (${BINARY_NAME})\n`;
}
