import type { Socket } from 'node:net';
import { listenTcp, type Listening } from './server.ts';

/** The replies of the broker to each method of the client, by method number. */
export interface Script {
  /** The reply to the protocol header; by default Connection.Start with PLAIN. */
  readonly header?: Buffer;
  /** Replies by the number of the client's method. Missing ones get the reply of a broker that accepts the login. */
  readonly answers?: Readonly<Record<number, readonly Buffer[]>>;
  /** Whether it reacts to nothing, not even a closed connection, like a frozen process. */
  readonly isFrozen?: true;
}

export interface Broker extends Listening {
  /** The numbers of the client's methods in order. */
  readonly methods: readonly number[];
  /** The payload of the login. */
  readonly login: () => string;
}

export const [START_OK, TUNE_OK, OPEN, CLOSE, CLOSE_OK] = [11, 31, 40, 50, 51] as const;
/** Methods of other classes than `connection` are numbered CLASS_METHOD. */
export const [CHANNEL_OPEN, CHANNEL_CLOSE, CHANNEL_CLOSE_OK] = [20_010, 20_040, 20_041] as const;
export const [DECLARE, DELETE] = [50_010, 50_040] as const;

/** A method, by default in the class `connection`; others are on channel 1. */
export function method(number: number, ...fields: readonly Buffer[]): Buffer {
  const kind = number < 1000 ? 10 : Math.floor(number / 1000);
  const payload = Buffer.concat([Buffer.from([0, kind, 0, number % 1000]), ...fields]);
  const header = Buffer.from([1, 0, kind === 10 ? 0 : 1, 0, 0, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([header, payload, Buffer.from([0xce])]);
}

export function startMethod(mechanisms: string): Buffer {
  const table = Buffer.from([0, 0, 0, 4, 1, 0x61, 0x74, 1]);
  const names = Buffer.from(mechanisms);
  return method(10, Buffer.from([0, 9]), table, Buffer.from([0, 0, 0, names.length]), names, Buffer.from([0, 0, 0, 0]));
}

export function closeMethod(code: number, text: string, what: number = CLOSE): Buffer {
  return method(what, Buffer.from([code >> 8, code & 0xff, text.length]), Buffer.from(text), Buffer.alloc(4));
}

export const HEARTBEAT = Buffer.from([8, 0, 0, 0, 0, 0, 0, 0xce]);

const WELCOME: Readonly<Record<number, readonly Buffer[]>> = {
  // A heartbeat may come at any time.
  [START_OK]: [HEARTBEAT, method(30, Buffer.from([0, 100, 0, 2, 0, 0, 0, 60]))],
  [OPEN]: [method(41, Buffer.from([0]))],
  [CLOSE]: [HEARTBEAT, method(CLOSE_OK)],
  [CHANNEL_OPEN]: [method(20_011, Buffer.alloc(4))],
  [DECLARE]: [HEARTBEAT, method(50_011, Buffer.from('\u0007amq.gen'), Buffer.alloc(8))],
  [DELETE]: [method(50_041, Buffer.alloc(4))],
};

/** A scripted broker. */
export async function scriptedBroker({ header, answers = {}, isFrozen }: Script = {}): Promise<Broker> {
  const methods: number[] = [];
  let login = '';
  const serve = (socket: Socket) => {
    let heard = Buffer.alloc(0);
    let hasGreeted = false;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      if (!hasGreeted && heard.length >= 8) {
        hasGreeted = true;
        heard = heard.subarray(8);
        sayByte(socket, header ?? startMethod('AMQPLAIN PLAIN'));
      }
      if (!hasGreeted) return;
      while (heard.length >= 7 && heard.length >= heard.readUInt32BE(3) + 8) {
        const kind = heard.readUInt16BE(7);
        const number = heard.readUInt16BE(9) + (kind === 10 ? 0 : 1000 * kind);
        methods.push(number);
        if (number === START_OK) login = heard.subarray(11, heard.readUInt32BE(3) + 7).toString();
        heard = heard.subarray(heard.readUInt32BE(3) + 8);
        for (const answer of answers[number] ?? WELCOME[number] ?? []) socket.write(answer);
      }
    });
  };
  const server = await listenTcp(isFrozen ? () => {} : serve, '127.0.0.1', 0, { pauseOnConnect: isFrozen ?? false });
  return Object.assign(server, { methods, login: () => login });
}

/** Sends the first byte alone, because frames may be split into any chunks. */
function sayByte(socket: Socket, bytes: Buffer): void {
  socket.setNoDelay(true);
  socket.write(bytes.subarray(0, 1));
  setImmediate(() => socket.write(bytes.subarray(1)));
}
