import type { Changes } from './changes.ts';
import type { Lines } from './lines.ts';
import type { Owners } from './owners.ts';

/** State that all steps share. */
export interface Work {
  readonly changes: Changes;
  readonly owners: Owners;
  readonly lines: Lines;
}
