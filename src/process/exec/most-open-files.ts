import { openFiles } from './open-files.ts';

/** Number of files that this process may open. Undefined without /proc. */
export function mostOpenFiles(): number | undefined {
  return openFiles()?.soft;
}
