import { formatEndpoint, type InetSocket, type Protocol } from '../../process/procfs/index.ts';

/** What is asked about a port, and the words for its answers. */
export interface Meaning {
  readonly protocols: readonly Protocol[];
  readonly portOf: (socket: InetSocket) => number;
  /** Whether it answers the question. */
  readonly isGood: (socket: InetSocket) => boolean;
  /** Whether it is worth naming where it does not. */
  readonly isAbout: (socket: InetSocket) => boolean;
  readonly show: (socket: InetSocket) => string;
  /** Whether those on other ports are worth naming too: a process has few. */
  readonly namesOtherPorts: boolean;
  /** Of a process, before the ports. */
  readonly lacks: string;
  /** Of no process in particular, before the ports. */
  readonly isMissing: string;
  /** Of those that belong to a process, before the ports. */
  readonly sockets: string;
}

export const MEANINGS = {
  connected: {
    protocols: ['tcp'],
    portOf: ({ remote }) => remote.port,
    isGood: ({ state }) => state === 'ESTABLISHED',
    isAbout: () => true,
    namesOtherPorts: false,
    show: ({ state, remote }) => `${state} to ${formatEndpoint(remote)}`,
    lacks: 'has no established connection to',
    isMissing: 'no connections to',
    sockets: 'sockets to',
  },
  /** As `connected`, of which this side has the port: the other end came to it. */
  accepted: {
    protocols: ['tcp'],
    portOf: ({ local }) => local.port,
    isGood: ({ state }) => state === 'ESTABLISHED',
    isAbout: ({ state }) => state !== 'LISTEN',
    namesOtherPorts: false,
    show: ({ state, local }) => `${state} at ${formatEndpoint(local)}`,
    lacks: 'has no client connected to',
    isMissing: 'no client is connected to',
    sockets: 'connections at',
  },
  listen: {
    protocols: ['tcp', 'udp'],
    portOf: ({ local }) => local.port,
    isGood: isListening,
    isAbout: isListening,
    namesOtherPorts: true,
    show: ({ protocol, local }) => `${protocol} ${formatEndpoint(local)}`,
    lacks: 'does not listen on',
    isMissing: 'nothing listens on',
    sockets: 'sockets that listen on',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

export type Kind = keyof typeof MEANINGS;

/** A UDP socket receives from any peer as long as it is not connected to one. */
function isListening({ protocol, state }: InetSocket): boolean {
  return state === (protocol === 'tcp' ? 'LISTEN' : 'CLOSE');
}
