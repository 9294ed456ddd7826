/**
 * Questions about this pod's own sockets, for the checks and for Kolla's names alike.
 *
 *   process name, ports or path -> Question -> sockets of this network namespace that are on those ports (process/procfs)
 *     -> none is as wanted: unhealthy, whoever has them
 *     -> processes of that name -> whose the sockets are: healthy, unhealthy with what was seen, or unseen with the fix
 *
 * From a sidecar the sockets of the whole pod are seen, but processes of other containers only with shareProcessNamespace,
 * and their descriptors only as the same user or root. Where that leaves the answer open it is `unseen`, never a guess.
 */
import { eachInetSocket, type InetSocket, type ProcessQuery, type Protocol } from '../../process/procfs/index.ts';
import type { Question } from '../check.ts';
import { healthyAs, unhealthy, unseen, type Verdict } from '../verdict.ts';
import { MEANINGS, type Kind, type Meaning } from './meaning.ts';
import { findOwners, whyUnseen, type Owners, type ProcEffects } from './owners.ts';
import { called, listed, whatIsMeant } from './process.ts';

export interface PortQuery {
  /** Undefined: whoever has the socket. Blanks around a name don't count. */
  readonly process: ProcessQuery | undefined;
  /** One of them is enough. */
  readonly ports: readonly number[];
  /** For `listen`: both unless given. `connected` is about TCP alone. */
  readonly protocols?: readonly Protocol[] | undefined;
}

/**
 * Whether a process listens on one of these ports (`listen`, TCP or UDP), or has an established connection to one
 * (`connected`: the port at the other end).
 * @param subject as the user wrote it; begins every message
 */
export function portQuestion(query: PortQuery, kind: Kind, subject: string, proc = '/proc'): Question {
  const meaning = MEANINGS[kind];
  const { process: asked, ports, protocols = meaning.protocols } = query;
  const wanted = asked && whatIsMeant(asked);
  // Of a node's hundreds of processes, the one that had the socket the last time is looked at before all of them.
  let last: number | undefined;
  return {
    subject,
    hosts: [],
    async ask(signal) {
      const effects = { proc, signal };
      if (wanted === undefined) return await verdictOfAny({ ports, protocols }, meaning, effects);
      if (last !== undefined) {
        const again = await findGood(
          wanted,
          await findOwners(wanted, effects, [last]),
          { ports, protocols },
          meaning,
          effects,
        );
        if (again.answer !== undefined) return again.answer.verdict;
      }
      const owners = await findOwners(wanted, effects);
      const found = await findGood(wanted, owners, { ports, protocols }, meaning, effects);
      last = found.answer?.pid;
      if (found.answer !== undefined) return found.answer.verdict;
      return await verdictOf(wanted, owners, found.onPort, { ports, protocols }, meaning, effects);
    },
  };
}

interface Ports {
  readonly ports: readonly number[];
  readonly protocols: readonly Protocol[];
}

interface Scanned {
  /** The first that answers the question. */
  readonly good: InetSocket | undefined;
  /** Those on the ports before it: all of them where there is none. */
  readonly onPort: readonly InetSocket[];
}

/** Reads the tables until a socket answers the question. @param isTheirs whether it is one of those that are asked about */
async function scan(
  { ports, protocols }: Ports,
  { portOf, isAbout, isGood }: Meaning,
  isTheirs: (socket: InetSocket) => boolean,
  effects: ProcEffects,
): Promise<Scanned> {
  const onPort: InetSocket[] = [];
  let good: InetSocket | undefined;
  const each = (socket: InetSocket) => {
    if (!ports.includes(portOf(socket)) || !isAbout(socket)) return false;
    onPort.push(socket);
    if (isGood(socket) && isTheirs(socket)) good = socket;
    return good !== undefined;
  };
  await eachInetSocket(protocols, each, effects);
  return { good, onPort };
}

async function verdictOfAny(asked: Ports, meaning: Meaning, effects: ProcEffects): Promise<Verdict> {
  const { good, onPort } = await scan(asked, meaning, () => true, effects);
  if (good !== undefined) return healthyAs(meaning.show(good));
  return unhealthy(`${meaning.isMissing} ${portsText(asked)}${seen(onPort, meaning)}`);
}

interface Found {
  readonly onPort: readonly InetSocket[];
  /** Healthy, and by which process. */
  readonly answer?: { readonly pid: number; readonly verdict: Verdict };
}

/** Whose sockets are whose is looked up first, as a process has few, so that the tables need not be read to their end. */
async function findGood(
  wanted: ProcessQuery,
  { pidByInode }: Owners,
  asked: Ports,
  meaning: Meaning,
  effects: ProcEffects,
): Promise<Found> {
  const { good, onPort } = await scan(asked, meaning, ({ inode }) => pidByInode.has(inode), effects);
  const pid = good && pidByInode.get(good.inode);
  if (good === undefined || pid === undefined) return { onPort };
  return { onPort, answer: { pid, verdict: healthyAs(`${called(wanted, [pid])}: ${meaning.show(good)}`) } };
}

async function verdictOf(
  wanted: ProcessQuery,
  owners: Owners,
  onPort: readonly InetSocket[],
  asked: Ports,
  meaning: Meaning,
  effects: ProcEffects,
): Promise<Verdict> {
  const { processes } = owners;
  // In a queue or in TIME-WAIT it is nobody's.
  const others = onPort.filter((socket) => meaning.isGood(socket) && socket.inode !== '0');
  const sockets = `${meaning.sockets} ${portsText(asked)}`;
  const why = await whyUnseen(owners, wanted, sockets, new Set(others.map(({ inode }) => inode)), effects);
  if (why !== undefined) return unseen(why);
  const pids = processes.map(({ pid }) => pid);
  if (pids.length > 0) {
    const theirs = await whatIsTheirs(asked, onPort, owners, meaning, effects);
    return unhealthy(`${called(wanted, pids)} ${meaning.lacks} ${portsText(asked)}${seen(theirs, meaning)}`);
  }
  const what =
    others.length > 0
      ? `the ${sockets} are other processes'`
      : `${meaning.isMissing} ${portsText(asked)}${seen(onPort, meaning)}`;
  return unhealthy(`there is no process ${called(wanted, [])}, and ${what}`);
}

/** What the processes have instead: sockets on the ports, or where they listen. */
async function whatIsTheirs(
  { protocols }: Ports,
  onPort: readonly InetSocket[],
  { pidByInode, denied }: Owners,
  { isAbout, namesOtherPorts }: Meaning,
  effects: ProcEffects,
): Promise<readonly InetSocket[]> {
  // Where their descriptors can't be seen, nobody's socket answers the question, and any may be theirs.
  if (denied.length > 0) return onPort;
  const theirs = onPort.filter(({ inode }) => pidByInode.has(inode));
  if (!namesOtherPorts) return theirs;
  const listening: InetSocket[] = [];
  const each = (socket: InetSocket) => {
    if (pidByInode.has(socket.inode) && isAbout(socket)) listening.push(socket);
    return false;
  };
  await eachInetSocket(protocols, each, effects);
  return listening;
}

function seen(sockets: readonly InetSocket[], meaning: Meaning): string {
  return `; seen: ${listed(sockets.map((socket) => meaning.show(socket)))}`;
}

function portsText({ ports }: Ports): string {
  return `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`;
}
