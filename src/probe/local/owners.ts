import {
  eachSocketInode,
  findProcesses,
  pidsIn,
  readHead,
  type NamedProcess,
  type ProcessQuery,
} from '../../process/procfs/index.ts';
import { called } from './process.ts';

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
async function withoutSeenOwner(wanted: ReadonlySet<string>, effects: ProcEffects): Promise<Set<string>> {
  const left = new Set(wanted);
  for (const pid of pidsIn(effects.proc)) {
    if (left.size === 0) break;
    await eachSocketInode(pid, (inode) => left.delete(inode) && left.size === 0, effects);
  }
  return left;
}

/**
 * Why it cannot be determined from here whether the processes that are meant have one of the sockets; undefined where it is certain
 * that they don't: there is no such socket, or all have owners that are seen.
 * @param sockets what they are: `sockets to port 5672`
 * @param inodes of those that would answer the question
 */
export async function whyUnseen(
  { processes, denied }: Pick<Owners, 'processes' | 'denied'>,
  wanted: ProcessQuery,
  sockets: string,
  inodes: ReadonlySet<string>,
  effects: ProcEffects,
): Promise<string | undefined> {
  const isAllSeen = processes.length > 0 && denied.length === 0;
  // Where all containers' processes are shown, one that is not there does not run.
  const isNotRunning = processes.length === 0 && seesWholePod(effects);
  if (isAllSeen || isNotRunning || (await withoutSeenOwner(inodes, effects)).size === 0) return undefined;
  const [first] = denied;
  if (first === undefined) {
    return (
      `I see ${sockets} but not whose they are: processes of other containers need shareProcessNamespace: true ` +
      `(or use --any-process)`
    );
  }
  const uid = uidOf(first, effects);
  return (
    `I see ${sockets} but not whose they are: ${called(wanted, denied)} runs as uid ${uid}, and only that user or root may ` +
    `see its descriptors: run this as the same user (runAsUser: ${uid}), or use --any-process`
  );
}

/** PID 1 is then what holds the shared namespace, under the name that container runtimes give it. */
function seesWholePod({ proc }: ProcEffects): boolean {
  try {
    return process.pid !== 1 && /^(?:pause|catatonit)\n/.test(readHead(`${proc}/1/comm`, 64));
  } catch {
    // Hidden from us: then others are as well.
    return false;
  }
}

function uidOf(pid: number, { proc }: ProcEffects): string {
  try {
    return /^Uid:\t\d+\t(\d+)/m.exec(readHead(`${proc}/${pid}/status`, 4096))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
