/**
 * src/config/failure/bounded.ts with a deadline. When it is exceeded, the process writes one line and exits with this code, as
 * for any invalid config.json.
 */
import { failing } from './failing.ts';

const LONGEST_MS = 10_000;

export function bounded<T>(work: () => T, limit: string, code: number): T {
  using _ = failing(code, limit);
  sys.deadline(LONGEST_MS);
  try {
    return work();
  } finally {
    sys.deadline(0);
  }
}
