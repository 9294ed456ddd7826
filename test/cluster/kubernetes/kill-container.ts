import { readdirSync, readFileSync } from 'node:fs';
import { signalIfThere } from '../../../tools/process.ts';

/**
 * SIGKILLs every process of a Pod's first container, from outside: `kubectl exec` would be killed with it.
 * @param kubectl kubectl in the Pod's namespace
 */
export async function killContainer(kubectl: (args: readonly string[]) => Promise<string>, pod: string): Promise<void> {
  const path = '--output=jsonpath={.status.containerStatuses[0].containerID}';
  const id = (await kubectl(['get', `pod/${pod}`, path])).split('//')[1];
  if (!id) throw new Error(`${pod} has no container`);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && cgroupsOf(name).includes(id));
  if (pids.length === 0) throw new Error(`container ${id} of ${pod} has no process`);
  for (const pid of pids) signalIfThere(Number(pid), 'SIGKILL');
}

function cgroupsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}
