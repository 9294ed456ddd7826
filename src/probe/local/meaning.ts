import { formatEndpoint, type InetSocket, type Protocol } from '../../process/procfs/index.ts';

/** The condition on a socket, and the texts of its messages. */
export interface Meaning {
  readonly protocols: readonly Protocol[];
  readonly portOf: (socket: InetSocket) => number;
  /** Whether a socket satisfies the condition. */
  readonly isGood: (socket: InetSocket) => boolean;
  /** Whether messages mention a socket that does not satisfy the condition. */
  readonly isAbout: (socket: InetSocket) => boolean;
  readonly show: (socket: InetSocket) => string;
  /** Whether messages also mention sockets on other ports, since a process has few of them. */
  readonly namesOtherPorts: boolean;
  /** Whether a port has one such socket, whose owner messages name. */
  readonly isSingle: boolean;
  /** Message about a process; the ports follow. */
  readonly lacks: string;
  /** Message if no process was given; the ports follow. */
  readonly isMissing: string;
  /** Description of a process's sockets; the ports follow. */
  readonly sockets: string;
}

export const MEANINGS = {
  connected: {
    protocols: ['tcp'],
    portOf: ({ remote }) => remote.port,
    isGood: ({ state }) => state === 'ESTABLISHED',
    isAbout: () => true,
    namesOtherPorts: false,
    isSingle: false,
    show: ({ state, remote }) => `${state} to ${formatEndpoint(remote)}`,
    lacks: 'has no established connection to',
    isMissing: 'no connections to',
    sockets: 'sockets to',
  },
  /** Like `connected`, but with the port at this end: the peer connected to it. */
  accepted: {
    protocols: ['tcp'],
    portOf: ({ local }) => local.port,
    isGood: ({ state }) => state === 'ESTABLISHED',
    isAbout: ({ state }) => state !== 'LISTEN',
    namesOtherPorts: false,
    isSingle: false,
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
    isSingle: true,
    show: ({ protocol, local }) => `${protocol} ${formatEndpoint(local)}`,
    lacks: 'does not listen on',
    isMissing: 'nothing listens on',
    sockets: 'sockets that listen on',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

export type Kind = keyof typeof MEANINGS;

/** Whether a socket listens. A UDP socket does so unless it is connected. */
function isListening({ protocol, state }: InetSocket): boolean {
  return state === (protocol === 'tcp' ? 'LISTEN' : 'CLOSE');
}
