import { isOurs, lineOf, listProcesses } from '../../process/procfs/processes.ts';
import { findProcesses, type ProcessQuery } from '../../process/procfs/index.ts';
import { healthyAs, unhealthy, unseen, type Question } from '../ask/verdict.ts';

/** Maximum number of items named in a message. */
const SHOWN = 5;

/**
 * Checks that such a process is running; zombies do not count.
 * @param subject the check as the user wrote it, which is the prefix of every message
 */
export function processQuestion(query: ProcessQuery, subject: string): Question {
  const wanted = whatIsMeant(query);
  return {
    subject,
    hosts: [],
    async ask(signal) {
      const found = await findProcesses(wanted, { proc: '/proc', signal });
      const pids = found.map(({ pid }) => pid);
      if (pids.length > 0) return healthyAs(called(wanted, pids));
      const reason = `no process ${called(wanted, [])}`;
      if (!seesOnlyItself()) return unhealthy(reason);
      return unseen(
        `${reason} to be seen from this container, which shows only its own: those of other containers need ` +
          'shareProcessNamespace: true',
      );
    },
  };
}

/** Whether only this process, its relatives and our other helpers are visible, as in a PID namespace of our own. */
function seesOnlyItself(): boolean {
  const all = listProcesses();
  const own = lineOf(all, process.pid);
  for (let up = process.pid; up > 0; up = all.find(({ pid }) => pid === up)?.parent ?? 0) own.add(up);
  return all.every((one) => own.has(one.pid) || isOurs(one));
}

/** The query without the spaces that kolla-ansible puts around names. */
export function whatIsMeant({ name, ...rest }: ProcessQuery): ProcessQuery {
  return { ...rest, name: name.trim() };
}

/** The processes in messages: `nova-compute (pids 7, 31)`, or `named nova-compute` if there are none. */
export function called({ name, isPattern = false }: ProcessQuery, pids: readonly number[]): string {
  if (pids.length === 0) return isPattern ? `whose command line matches '${name}'` : `named ${name}`;
  return `${name} (${pids.length === 1 ? 'pid' : 'pids'} ${listed(pids.map(String))})`;
}

/** The items without duplicates, truncated after the first few. */
export function listed(texts: readonly string[]): string {
  const each = [...new Set(texts)];
  const more = each.length > SHOWN ? ` and ${each.length - SHOWN} more` : '';
  return `${each.slice(0, SHOWN).join(', ')}${more}`;
}
