import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * kolla-core, which supervises programs (supervised.ts). Undefined if it is not next to this binary, as when kolla-pod
 * is run from sources. kolla-core replaces this file by src/engine/supervisor.ts.
 */
export function supervisor(): string | undefined {
  const file = join(dirname(process.execPath), 'kolla-core');
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}
