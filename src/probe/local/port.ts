import { eachInetSocket, type InetSocket, type ProcessQuery, type Protocol } from '../../platform/proc/index.ts';
import type { Question } from '../check.ts';
import { healthyAs, unhealthy, unseen, type Verdict } from '../verdict.ts';
import { MEANINGS, type Kind, type Meaning } from './meaning.ts';
import { findOwners, type Owners, type ProcEffects } from './owners.ts';
import { whyUnseen } from './unseen.ts';
import { called, listed, whatIsMeant } from './words.ts';

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
  return {
    subject,
    hosts: [],
    async ask(signal) {
      const meaning = MEANINGS[kind];
      const { process: wanted, ports, protocols = meaning.protocols } = query;
      const effects = { proc, signal };
      const onPort = await socketsOn({ ports, protocols }, meaning, wanted === undefined, effects);
      if (wanted === undefined) return verdictOfAny(onPort, ports, meaning);
      return await verdictOf({ process: whatIsMeant(wanted), ports, protocols }, onPort, meaning, effects);
    },
  };
}

interface Ports {
  readonly ports: readonly number[];
  readonly protocols: readonly Protocol[];
}

/** @param isOneEnough to stop at the first that answers the question */
async function socketsOn(
  { ports, protocols }: Ports,
  { portOf, isAbout, isGood }: Meaning,
  isOneEnough: boolean,
  effects: ProcEffects,
): Promise<InetSocket[]> {
  const found: InetSocket[] = [];
  const each = (socket: InetSocket) => {
    if (!ports.includes(portOf(socket)) || !isAbout(socket)) return false;
    found.push(socket);
    return isOneEnough && isGood(socket);
  };
  await eachInetSocket(protocols, each, effects);
  return found;
}

function verdictOfAny(onPort: readonly InetSocket[], ports: readonly number[], meaning: Meaning): Verdict {
  const good = onPort.find((socket) => meaning.isGood(socket));
  if (good !== undefined) return healthyAs(meaning.show(good));
  return unhealthy(`${meaning.isMissing} ${portsText(ports)}${seen(onPort, meaning)}`);
}

async function verdictOf(
  query: Ports & { readonly process: ProcessQuery },
  onPort: readonly InetSocket[],
  meaning: Meaning,
  effects: ProcEffects,
): Promise<Verdict> {
  const { process: wanted, ports } = query;
  // In a queue or in TIME-WAIT it is nobody's.
  const good = onPort.filter((socket) => meaning.isGood(socket) && socket.inode !== '0');
  const inodes = new Set(good.map(({ inode }) => inode));
  const owners = await findOwners(wanted, inodes, effects);
  const { found, processes } = owners;
  const socket = good.find(({ inode }) => inode === found?.inode);
  if (found !== undefined && socket !== undefined)
    return healthyAs(`${called(wanted, [found.pid])}: ${meaning.show(socket)}`);
  const why = await whyUnseen(owners, wanted, `${meaning.sockets} ${portsText(ports)}`, inodes, effects);
  if (why !== undefined) return unseen(why);
  if (processes.length > 0) {
    const who = called(
      wanted,
      processes.map(({ pid }) => pid),
    );
    return unhealthy(
      `${who} ${meaning.lacks} ${portsText(ports)}${await theirs(query, onPort, owners, meaning, effects)}`,
    );
  }
  const others = good.length > 0 ? `the ${meaning.sockets} ${portsText(ports)} are other processes'` : undefined;
  const sockets = others ?? `${meaning.isMissing} ${portsText(ports)}${seen(onPort, meaning)}`;
  return unhealthy(`there is no process ${called(wanted, [])}, and ${sockets}`);
}

/** What the processes have instead. */
async function theirs(
  { protocols }: Pick<Ports, 'protocols'>,
  onPort: readonly InetSocket[],
  { inodes, denied }: Owners,
  meaning: Meaning,
  effects: ProcEffects,
): Promise<string> {
  // Where their descriptors can't be seen, nobody's socket answers the question, and it may be theirs.
  if (meaning !== MEANINGS.listen || denied.length > 0)
    return seen(denied.length > 0 ? onPort : onPort.filter(({ inode }) => inodes.has(inode)), meaning);
  const listening: InetSocket[] = [];
  const each = (socket: InetSocket) => {
    if (inodes.has(socket.inode) && meaning.isAbout(socket)) listening.push(socket);
    return false;
  };
  await eachInetSocket(protocols, each, effects);
  return seen(listening, meaning);
}

function seen(sockets: readonly InetSocket[], meaning: Meaning): string {
  return `; seen: ${listed(sockets.map((socket) => meaning.show(socket)))}`;
}

function portsText(ports: readonly number[]): string {
  return `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`;
}
