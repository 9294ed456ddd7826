import { pidsIn } from './processes.ts';
import { readHead } from './read.ts';

/** Enough for the parent in /proc/PID/stat: it follows a name of at most 64 bytes. */
const STAT_BYTES = 256;

/** All visible descendants of a process, parents before their children. None without /proc. */
export function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of visible()) {
    const parent = parentOf(pid);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found.slice(1);
}

function visible(): number[] {
  try {
    return pidsIn('/proc');
  } catch {
    return [];
  }
}

/** 0 if the process has exited meanwhile, or hidepid hides it. */
function parentOf(pid: number): number {
  try {
    const stat = readHead(`/proc/${pid}/stat`, STAT_BYTES);
    // The name may contain spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
  } catch {
    return 0;
  }
}
