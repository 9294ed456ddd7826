import { isOurs, lineOf, listProcesses } from '../../process/procfs/processes.ts';
import { findProcesses, type ProcessQuery } from '../../process/procfs/index.ts';
import type { Question } from '../check.ts';
import { healthyAs, unhealthy, unseen } from '../verdict.ts';
import { called, whatIsMeant } from './words.ts';

/**
 * Whether such a process runs; zombies don't.
 * @param subject as the user wrote it; begins every message
 */
export function processQuestion(query: ProcessQuery, subject: string, proc = '/proc'): Question {
  const wanted = whatIsMeant(query);
  return {
    subject,
    hosts: [],
    async ask(signal) {
      const found = await findProcesses(wanted, { proc, signal });
      if (found.length > 0)
        return healthyAs(
          called(
            wanted,
            found.map(({ pid }) => pid),
          ),
        );
      const reason = `there is no process ${called(wanted, [])}`;
      if (!(await seesOnlyItself(proc))) return unhealthy(reason);
      return unseen(
        `${reason} to be seen from this container, which shows only its own: those of other containers need ` +
          'shareProcessNamespace: true',
      );
    },
  };
}

/** In a sidecar's own namespace there is nobody but us and what we came from. */
async function seesOnlyItself(proc: string): Promise<boolean> {
  const all = await listProcesses(proc);
  const own = lineOf(all, process.pid);
  for (let up = process.pid; up > 0; up = all.find(({ pid }) => pid === up)?.parent ?? 0) own.add(up);
  return all.every((one) => own.has(one.pid) || isOurs(one));
}
