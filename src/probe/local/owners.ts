import {
  eachSocketInode,
  findProcesses,
  pidsIn,
  type NamedProcess,
  type ProcessQuery,
} from '../../process/procfs/index.ts';

export interface ProcEffects {
  /** `/proc`, but in tests. */
  readonly proc: string;
  readonly signal: AbortSignal;
}

/** The processes that are meant, and their sockets. */
export interface Owners {
  readonly processes: readonly NamedProcess[];
  /** Whose each socket is, by its inode: of one that several have, the first's. */
  readonly pidByInode: ReadonlyMap<string, number>;
  /** Those whose descriptors we may not see. */
  readonly denied: readonly number[];
}

/** Looks into every process that is meant. @param among of these pids; of all unless given */
export async function findOwners(
  query: ProcessQuery,
  effects: ProcEffects,
  among?: readonly number[],
): Promise<Owners> {
  const processes = await findProcesses(query, effects, among);
  const pidByInode = new Map<string, number>();
  const denied: number[] = [];
  for (const { pid } of processes) {
    const each = (inode: string) => {
      if (!pidByInode.has(inode)) pidByInode.set(inode, pid);
      return false;
    };
    if ((await eachSocketInode(pid, each, effects)) === 'denied') denied.push(pid);
  }
  return { processes, pidByInode, denied };
}

/** Those of the sockets that no process has which we can look into. */
export async function withoutSeenOwner(wanted: ReadonlySet<string>, effects: ProcEffects): Promise<Set<string>> {
  const left = new Set(wanted);
  for (const pid of pidsIn(effects.proc)) {
    if (left.size === 0) break;
    await eachSocketInode(pid, (inode) => left.delete(inode) && left.size === 0, effects);
  }
  return left;
}
