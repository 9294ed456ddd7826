import { readdirSync, readFileSync } from 'node:fs';

/** A process with its start time: the pid alone may be reused. */
export interface Seen {
  readonly pid: number;
  readonly startedAt: string;
}

interface Stat extends Seen {
  readonly parent: number;
  readonly state: string;
}

/** A process and all its descendants, parents first. */
export function treeOf(pid: number): Seen[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== undefined);
  const tree = all.filter((stat) => stat.pid === pid);
  for (const { pid: parent } of tree) tree.push(...all.filter((stat) => stat.parent === parent));
  return tree;
}

/** The processes still running, without zombies. */
export function aliveOf(seen: readonly Seen[]): Seen[] {
  return seen.filter(({ pid, startedAt }) => {
    const stat = statOf(pid);
    return stat?.startedAt === startedAt && stat.state !== 'Z';
  });
}

/** Freezes a whole tree, including new children; returns it. */
export function freezeTree(pid: number): Seen[] {
  for (;;) {
    const running = treeOf(pid).filter((seen) => !/^[TZ]$/.test(statOf(seen.pid)?.state ?? 'Z'));
    if (running.length === 0) return treeOf(pid);
    for (const seen of running) signal(seen, 'SIGSTOP');
  }
}

export function signal({ pid, startedAt }: Seen, name: NodeJS.Signals): void {
  if (statOf(pid)?.startedAt !== startedAt) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, state: fields[0]!, parent: Number(fields[1]), startedAt: fields[19]! };
  } catch {
    return undefined;
  }
}
