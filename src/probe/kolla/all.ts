import type { Helper } from '../../cli/command.ts';
import { helperOf } from './helpers.ts';
import { questionFor } from './names.ts';
import { runKolla } from './run.ts';
import { KOLLA_NAMES } from './variables.ts';

/** The tables of all of Kolla's helper names. */
export const KOLLA_HELPERS: readonly Helper[] = KOLLA_NAMES.map((name) =>
  helperOf(name, (argv, env) => runKolla(name, (...asked) => questionFor(name, ...asked), argv, env)),
);
