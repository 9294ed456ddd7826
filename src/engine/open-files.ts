import { done } from './runtime/errors.ts';

/** mostOpenFiles of src/process/exec/most-open-files.ts. Raises the limit first, as Node does before our first line runs. */
export function mostOpenFiles(): number {
  return done(sys.raiseOpenFiles(), 'setrlimit');
}
