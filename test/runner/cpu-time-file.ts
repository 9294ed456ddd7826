import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

/** Where a test file's process writes its CPU seconds. */
export function cpuTimeFile(directory: string, testFile: string): string {
  return join(directory, createHash('sha256').update(resolve(testFile)).digest('hex').slice(0, 16));
}
