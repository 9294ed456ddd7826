import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Calls `holds` for every process. A process that exits meanwhile counts as gone. */
function processesWhere(holds: (pid: string) => boolean): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const holding = (pid: string) => {
    try {
      return holds(pid);
    } catch {
      return false;
    }
  };
  return pids.filter(holding).map(Number);
}

/** Processes whose command line contains a text, such as the path of a private directory. */
export function processesWith(text: string): number[] {
  return processesWhere((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text));
}

/** The processes in a namespace: `processesIn('net', 'net:[4026532281]')`. */
export function processesIn(kind: 'mnt' | 'net' | 'pid', namespace: string): number[] {
  return processesWhere((pid) => readlinkSync(`/proc/${pid}/ns/${kind}`) === namespace);
}
