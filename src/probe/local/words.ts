import type { ProcessQuery } from '../../process/procfs/index.ts';

/** Of many things a message names so many. */
const SHOWN = 5;

/** As kolla-ansible passes a name, blanks stand around it. */
export function whatIsMeant({ name, ...rest }: ProcessQuery): ProcessQuery {
  return { ...rest, name: name.trim() };
}

/** `nova-compute (pids 7, 31)`; of nobody `named nova-compute`. */
export function called({ name, isPattern = false }: ProcessQuery, pids: readonly number[]): string {
  if (pids.length === 0) return isPattern ? `whose command line matches '${name}'` : `named ${name}`;
  return `${name} (${pids.length === 1 ? 'pid' : 'pids'} ${listed(pids.map(String))})`;
}

/** Each once, of many only the first; `nothing` of none. */
export function listed(texts: readonly string[]): string {
  const each = [...new Set(texts)];
  const more = each.length > SHOWN ? ` and ${each.length - SHOWN} more` : '';
  return each.length === 0 ? 'nothing' : `${each.slice(0, SHOWN).join(', ')}${more}`;
}
