import { BINARY_NAME } from './binary-name.ts';

/** As in package.json; a test holds them equal. */
export const VERSION = '0.1.0';

/** What `--version` prints: `kolla-probe 0.1.0 (kolla-core)`. */
export function versionLine(name: string): string {
  return `${name} ${VERSION} (${BINARY_NAME})\n`;
}
