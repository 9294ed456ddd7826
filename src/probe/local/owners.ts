import {
  commandOf,
  eachSocketInode,
  findProcesses,
  pidsIn,
  readHead,
  shownName,
  type NamedProcess,
  type ProcessQuery,
} from '../../process/procfs/index.ts';
import { called, listed } from './process.ts';

export interface ProcEffects {
  /** `/proc`, except in tests. */
  readonly proc: string;
  readonly signal: AbortSignal;
}

/** The matching processes and their sockets. */
export interface Owners {
  readonly processes: readonly NamedProcess[];
  /** The owner of each socket by inode. If there are several owners, the first. */
  readonly pidByInode: ReadonlyMap<string, number>;
  /** Processes whose descriptors are inaccessible. */
  readonly denied: readonly number[];
}

/**
 * Examines all matching processes.
 * @param among examines only these pids; by default all
 */
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

/**
 * The processes that own these sockets, whatever their names: `httpd (pid 12)`; `another process` if none of them is
 * visible to us.
 */
export async function strangersWith(inodes: ReadonlySet<string>, effects: ProcEffects): Promise<string> {
  const left = new Set(inodes);
  const named: string[] = [];
  for (const pid of pidsIn(effects.proc)) {
    if (left.size === 0) break;
    let owns = false;
    const each = (inode: string) => {
      owns = left.delete(inode) || owns;
      return left.size === 0;
    };
    await eachSocketInode(pid, each, effects);
    if (owns) named.push(`${shownName(commandOf(effects.proc, pid))} (pid ${pid})`);
  }
  return named.length === 0 ? 'another process' : listed(named);
}

/** The sockets whose owner is not among the processes that we see. */
async function withoutSeenOwner(wanted: ReadonlySet<string>, effects: ProcEffects): Promise<Set<string>> {
  const left = new Set(wanted);
  for (const pid of pidsIn(effects.proc)) {
    if (left.size === 0) break;
    await eachSocketInode(pid, (inode) => left.delete(inode) && left.size === 0, effects);
  }
  return left;
}

/**
 * Why it cannot be determined from here whether the processes own one of the sockets; undefined if they certainly do
 * not: there is no such socket, or every socket's owner is known.
 * @param sockets description of the sockets: `sockets to port 5672`
 * @param inodes inodes of the sockets that satisfy the condition
 */
export async function whyUnseen(
  { processes, denied }: Pick<Owners, 'processes' | 'denied'>,
  wanted: ProcessQuery,
  sockets: string,
  inodes: ReadonlySet<string>,
  effects: ProcEffects,
): Promise<string | undefined> {
  const isAllSeen = processes.length > 0 && denied.length === 0;
  // If processes of all containers are visible, a process that is missing is not running.
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

/** Whether processes of all containers are visible: PID 1 is then the sandbox container, named by the runtime. */
function seesWholePod({ proc }: ProcEffects): boolean {
  try {
    return process.pid !== 1 && /^(?:pause|catatonit)\n/.test(readHead(`${proc}/1/comm`, 64));
  } catch {
    // PID 1 is hidden from us, so other processes may be hidden as well.
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
