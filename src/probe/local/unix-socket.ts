import { codeOf, reasonOf } from '../../core/errors.ts';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { eachUnixSocket, type ProcessQuery, type UnixSocket } from '../../process/procfs/index.ts';
import { healthyAs, unhealthy, unseen, type CheckResult, type Question } from '../ask/verdict.ts';
import { findOwners, strangersWith, whyUnseen, type ProcEffects } from './owners.ts';
import { called, whatIsMeant } from './process.ts';

export interface SocketQuery {
  /** If undefined, any process may own the socket. */
  readonly process: ProcessQuery | undefined;
  /** The path `/run/libvirt/libvirt-sock`, or `@name` for an abstract socket. */
  readonly path: string;
}

/**
 * Checks that a process listens on a Unix socket, or is bound to it for datagrams.
 * @param subject the check as the user wrote it, which is the prefix of every message
 */
export function socketQuestion({ process: asked, path }: SocketQuery, subject: string, proc = '/proc'): Question {
  return {
    subject,
    hosts: [],
    async ask(signal) {
      const effects = { proc, signal };
      const bound = await socketsAt(path, effects);
      const listening = bound.filter(({ isListening }) => isListening);
      if (listening.length === 0) {
        const why =
          bound.length > 0 ? 'its connections are still open, but no process accepts new ones' : whatLies(path);
        return unhealthy(`nothing listens on ${path}; ${why}`);
      }
      if (asked === undefined) return healthyAs(`a process listens on ${path}`);
      return await verdictOf({ process: whatIsMeant(asked), path }, listening, effects);
    },
  };
}

async function verdictOf(
  { process: wanted, path }: SocketQuery & { readonly process: ProcessQuery },
  listening: readonly UnixSocket[],
  effects: ProcEffects,
): Promise<CheckResult> {
  const inodes = new Set(listening.map(({ inode }) => inode));
  const owners = await findOwners(wanted, effects);
  const owner = [...inodes].map((inode) => owners.pidByInode.get(inode)).find((pid) => pid !== undefined);
  if (owner !== undefined) return healthyAs(`${called(wanted, [owner])} listens on ${path}`);
  const why = await whyUnseen(owners, wanted, `a socket that listens on ${path}`, inodes, effects);
  if (why !== undefined) return unseen(why);
  const pids = owners.processes.map(({ pid }) => pid);
  const stranger = await strangersWith(inodes, effects);
  if (pids.length === 0) return unhealthy(`no process ${called(wanted, [])}; ${stranger} listens on ${path}`);
  return unhealthy(`${called(wanted, pids)} does not listen on ${path}; ${stranger} does`);
}

/** The sockets bound to this path or, if there are none, to another path of the same file (/var/run/x for /run/x). */
async function socketsAt(path: string, effects: ProcEffects): Promise<UnixSocket[]> {
  const bytes = Buffer.from(path).toString('latin1');
  const [same, others]: [UnixSocket[], UnixSocket[]] = [[], []];
  const each = (socket: UnixSocket) => {
    if (socket.path === bytes) same.push(socket);
    else if (!path.startsWith('@') && basename(socket.path) === basename(bytes)) others.push(socket);
    return false;
  };
  await eachUnixSocket(each, effects);
  if (same.length > 0 || others.length === 0) return same;
  const real = placeOf(path);
  const places = others.slice(0, OTHERS_MAX).map((one) => placeOf(Buffer.from(one.path, 'latin1').toString()));
  return others.filter((_, i) => real !== undefined && places[i] === real);
}

function placeOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const OTHERS_MAX = 20;

function whatLies(path: string): string {
  if (path.startsWith('@')) return 'no socket has that name';
  try {
    realpathSync(path);
    return 'the file is left over from a process that has exited';
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? 'the file does not exist' : reasonOf(error);
  }
}
