import type { CheckStatus } from '../../probe/serve/index.ts';
import type { StatusDocument } from './document.ts';

/** Where a role stands, asked when somebody wants to see it; cheap. */
export interface Sources {
  readonly config: () => StatusDocument['config'];
  readonly files: () => StatusDocument['files'];
  readonly refusals: () => StatusDocument['refusals'];
  readonly waits: () => StatusDocument['waits'];
  readonly migration: () => StatusDocument['migration'];
  readonly checks: () => readonly CheckStatus[];
  readonly shipping: () => StatusDocument['shipping'];
}

/** Of roles that are not there. */
export const NO_SOURCES: Sources = {
  config: () => null,
  files: () => [],
  refusals: () => [],
  waits: () => [],
  migration: () => null,
  checks: () => [],
  shipping: () => null,
};
