import {
  eachSocketInode,
  findProcesses,
  pidsIn,
  type NamedProcess,
  type ProcessQuery,
} from '../../platform/proc/index.ts';

export interface ProcEffects {
  /** `/proc`, but in tests. */
  readonly proc: string;
  readonly signal: AbortSignal;
}

/** Who has one of some sockets, of the processes that are meant. */
export interface Owners {
  readonly processes: readonly NamedProcess[];
  /** The first process that has one of them, with its socket's inode. */
  readonly found?: { readonly pid: number; readonly inode: string };
  /** Inodes that these processes have, as far as it was looked: all of them where nothing was found. */
  readonly inodes: ReadonlySet<string>;
  /** Those whose descriptors we may not see. */
  readonly denied: readonly number[];
}

/**
 * Looks whether one of the processes that are meant has one of the sockets.
 * @param wanted their inodes; empty to see only which processes there are and what they have
 */
export async function findOwners(
  query: ProcessQuery,
  wanted: ReadonlySet<string>,
  effects: ProcEffects,
): Promise<Owners> {
  const processes = await findProcesses(query, effects);
  const inodes = new Set<string>();
  const denied: number[] = [];
  for (const { pid } of processes) {
    let inode: string | undefined;
    const each = (one: string) => {
      inodes.add(one);
      if (wanted.has(one)) inode = one;
      return inode !== undefined;
    };
    if ((await eachSocketInode(pid, each, effects)) === 'denied') denied.push(pid);
    if (inode !== undefined) return { processes, found: { pid, inode }, inodes, denied };
  }
  return { processes, inodes, denied };
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
