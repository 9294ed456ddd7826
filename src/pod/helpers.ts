import type { Helper } from '../cli/command.ts';
import { probe } from '../probe/index.ts';

/** The tables of all helpers, in the order in which a pod uses them. */
export const HELPERS: readonly Helper[] = [probe];
