/**
 * Checks of this Pod's own sockets, for kolla-probe and for Kolla's names.
 *
 *   process name, ports or path -> Question -> sockets of this network namespace on those ports (process/procfs)
 *     -> none satisfies the condition: unhealthy, whatever the process
 *     -> processes of that name -> owners of the sockets: healthy, unhealthy with the state, or unseen with the fix
 *
 * A sidecar sees the sockets of the whole Pod, but processes of other containers only with shareProcessNamespace, and
 * their descriptors only as the same user or root. If that leaves the result open it is `unseen`, never a guess.
 */
import { eachInetSocket, type InetSocket, type ProcessQuery, type Protocol } from '../../process/procfs/index.ts';
import { defined } from '../../core/defined.ts';
import { healthyAs, unhealthy, unseen, type CheckResult, type Question } from '../ask/verdict.ts';
import { MEANINGS, type Kind, type Meaning } from './meaning.ts';
import { findOwners, strangersWith, whyUnseen, type Owners, type ProcEffects } from './owners.ts';
import { called, listed, whatIsMeant } from './process.ts';

export interface PortQuery {
  /** If undefined, any process may own the socket. Leading and trailing spaces are ignored. */
  readonly process: ProcessQuery | undefined;
  /** A socket matches if it has any of these ports. */
  readonly ports: readonly number[];
  /** For `listen` the default is TCP and UDP. `connected` is for TCP only. */
  readonly protocols?: readonly Protocol[] | undefined;
  /** Minimum number of matching sockets; default one. */
  readonly atLeast?: number | undefined;
}

/** What to look for in the kernel's tables. */
interface Search extends Meaning, ProcEffects {
  readonly ports: readonly number[];
  readonly atLeast: number;
  /** An alternative condition, which messages do not mention. */
  readonly also: Meaning | undefined;
}

/**
 * Checks that a process listens on one of these ports (`listen`, TCP or UDP), or has an established connection to one
 * (`connected`: the remote port).
 * @param subject the check as the user wrote it, which is the prefix of every message
 * @param also an alternative condition
 */
export function portQuestion(query: PortQuery, kind: Kind, subject: string, proc = '/proc', also?: Kind): Question {
  const { ports, protocols, atLeast = 1 } = query;
  const wanted = query.process && whatIsMeant(query.process);
  // A node has hundreds of processes, so the last owner of the socket is examined first.
  let last: number | undefined;
  return {
    subject,
    hosts: [],
    async ask(signal) {
      const other = also && MEANINGS[also];
      const search: Search = {
        ...MEANINGS[kind],
        ...defined({ protocols }),
        ports,
        atLeast,
        also: other,
        proc,
        signal,
      };
      if (wanted === undefined) return await verdictOfAny(search);
      if (last !== undefined) {
        const again = await findGood(wanted, await findOwners(wanted, search, [last]), search);
        if (again.answer !== undefined) return again.answer.verdict;
      }
      const owners = await findOwners(wanted, search);
      const { answer, onPort } = await findGood(wanted, owners, search);
      last = answer?.pid;
      return answer?.verdict ?? (await verdictOf(wanted, owners, onPort, search));
    },
  };
}

interface Scanned {
  /** The first socket that satisfies the condition, with its description. */
  readonly good: { readonly socket: InetSocket; readonly shown: string } | undefined;
  /** Sockets on these ports that were found before `good`, or all of them if no socket satisfies the condition. */
  readonly onPort: readonly InetSocket[];
}

/** Maximum number of sockets remembered during the search, because a broker has tens of thousands of connections. */
const KEPT = 1000;

/**
 * Reads the tables until a socket satisfies the condition.
 * @param isTheirs whether a socket belongs to the processes
 */
async function scan(search: Search, isTheirs: (socket: InetSocket) => boolean): Promise<Scanned> {
  const scanned = await read(search, isTheirs, KEPT);
  const isWhole = scanned.good !== undefined || scanned.onPort.length < KEPT;
  return isWhole ? scanned : await read(search, isTheirs, Infinity);
}

async function read(search: Search, isTheirs: (socket: InetSocket) => boolean, kept: number): Promise<Scanned> {
  const { ports, protocols, atLeast, also } = search;
  const onPort: InetSocket[] = [];
  let matches = 0;
  let good: Scanned['good'];
  const isOnPort = ({ portOf, isAbout }: Meaning, socket: InetSocket) =>
    ports.includes(portOf(socket)) && isAbout(socket);
  const each = (socket: InetSocket) => {
    const isOn = isOnPort(search, socket);
    if (isOn && onPort.length < kept) onPort.push(socket);
    const meaning = isOn ? search : also !== undefined && isOnPort(also, socket) ? also : undefined;
    if (meaning?.isGood(socket) && isTheirs(socket) && ++matches === atLeast)
      good = { socket, shown: meaning.show(socket) };
    return good !== undefined;
  };
  await eachInetSocket(protocols, each, search);
  return { good, onPort };
}

async function verdictOfAny(search: Search): Promise<CheckResult> {
  const { good, onPort } = await scan(search, () => true);
  if (good !== undefined) return healthyAs(good.shown);
  const what = search.atLeast > 1 ? tooFew(onPort, search) : search.isMissing;
  return unhealthy(`${what} ${portsText(search)}${seen(onPort, search)}`);
}

interface Found {
  readonly onPort: readonly InetSocket[];
  /** Healthy, with the process. */
  readonly answer?: { readonly pid: number; readonly verdict: CheckResult };
}

/** Owners are determined first, because a process has few sockets and the tables need not be read to the end. */
async function findGood(wanted: ProcessQuery, { pidByInode }: Owners, search: Search): Promise<Found> {
  const { good, onPort } = await scan(search, ({ inode }) => pidByInode.has(inode));
  const pid = good && pidByInode.get(good.socket.inode);
  if (good === undefined || pid === undefined) return { onPort };
  return { onPort, answer: { pid, verdict: healthyAs(`${called(wanted, [pid])}: ${good.shown}`) } };
}

async function verdictOf(
  wanted: ProcessQuery,
  owners: Owners,
  onPort: readonly InetSocket[],
  search: Search,
): Promise<CheckResult> {
  // A socket in an accept queue or in TIME-WAIT has no owner.
  const others = onPort.filter((socket) => search.isGood(socket) && socket.inode !== '0');
  const sockets = `${search.sockets} ${portsText(search)}`;
  const inodes = new Set(others.map(({ inode }) => inode));
  const why = await whyUnseen(owners, wanted, sockets, inodes, search);
  if (why !== undefined) return unseen(why);
  const pids = owners.processes.map(({ pid }) => pid);
  // A port has one listener, which a user looks for next; connections to a broker are anybody's.
  const stranger = search.isSingle && others.length > 0 ? await strangersWith(inodes, search) : undefined;
  if (pids.length > 0) {
    const theirs = await whatIsTheirs(onPort, owners, search);
    const lacks = search.atLeast > 1 ? `has ${tooFew(theirs, search)}` : search.lacks;
    const does = stranger === undefined ? '' : `, but ${stranger} does`;
    return unhealthy(`${called(wanted, pids)} ${lacks} ${portsText(search)}${does}${seen(theirs, search)}`);
  }
  const what =
    others.length > 0
      ? stranger === undefined
        ? `the ${sockets} belong to other processes`
        : `${stranger} listens on ${portsText(search)}`
      : `${search.isMissing} ${portsText(search)}${seen(onPort, search)}`;
  return unhealthy(`no process ${called(wanted, [])}; ${what}`);
}

/** Other sockets of the processes: on these ports, or listening. */
async function whatIsTheirs(
  onPort: readonly InetSocket[],
  { pidByInode, denied }: Owners,
  search: Search,
): Promise<readonly InetSocket[]> {
  // If the descriptors of the processes are inaccessible, none of the sockets is known to be theirs, and any may be.
  if (denied.length > 0) return onPort;
  const theirs = onPort.filter(({ inode }) => pidByInode.has(inode));
  if (!search.namesOtherPorts) return theirs;
  const listening: InetSocket[] = [];
  const each = (socket: InetSocket) => {
    if (pidByInode.has(socket.inode) && search.isAbout(socket)) listening.push(socket);
    return false;
  };
  const { proc, signal } = search;
  await eachInetSocket(search.protocols, each, { proc, signal });
  return listening;
}

function seen(sockets: readonly InetSocket[], search: Search): string {
  return sockets.length === 0 ? '' : `; seen: ${listed(sockets.map((socket) => search.show(socket)))}`;
}

/** Start of the message for too few connections; the ports follow. */
function tooFew(sockets: readonly InetSocket[], { isGood, atLeast }: Search): string {
  return `${sockets.filter(isGood).length} of ${atLeast} connections to`;
}

function portsText({ ports }: Search): string {
  return `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`;
}
