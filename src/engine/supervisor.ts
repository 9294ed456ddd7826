import { accessSync, constants, readlinkSync } from './fs.ts';

const SELF = '/proc/self/exe';

/**
 * Replaces src/process/supervisor.ts in kolla-core, which is its own supervisor. By its path, because the process's name
 * would be `exe`; unless it was replaced in the meantime. Undefined without /proc.
 */
export function supervisor(): string | undefined {
  try {
    const path = readlinkSync(SELF);
    return isProgram(path) ? path : SELF;
  } catch {
    return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
