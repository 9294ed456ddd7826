import { once } from 'node:events';
import { connect } from 'node:net';

const HEADER = Buffer.from('AMQP\0\0\u0009\u0001', 'latin1');
const FRAME_END = 0xce;
/** Methods in the class `connection`: the server's, and the client's replies. */
const [START, START_OK, TUNE, TUNE_OK, OPEN, OPEN_OK] = [10, 11, 30, 31, 40, 41];

/**
 * Logs in as a service does, by AMQP 0-9-1 with PLAIN, and opens a virtual host.
 * @param held keeps the connection open until it is aborted; by default it is closed at once
 * @returns the outcome: `open`, `refused` (account) or `closed` (virtual host)
 */
export async function amqpLogin(
  port: number,
  user: string,
  password: string,
  vhost: string,
  held?: AbortSignal,
): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(HEADER);
  let heard = Buffer.alloc(0);
  let isTuned = false;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    heard = Buffer.concat([heard, chunk]);
    while (heard.length >= 7 && heard.length >= heard.readUInt32BE(3) + 8) {
      const method = heard.readUInt16BE(9);
      heard = heard.subarray(heard.readUInt32BE(3) + 8);
      if (method === START) {
        const response = Buffer.from(`\0${user}\0${password}`);
        socket.write(frame(START_OK, [CLIENT, short('PLAIN'), int32(response.length), response, short('en_US')]));
      } else if (method === TUNE) {
        isTuned = true;
        // One channel, because the broker rejects a limit above its own.
        socket.write(frame(TUNE_OK, [Buffer.from([0, 1]), int32(131_072), Buffer.from([0, 0])]));
        socket.write(frame(OPEN, [short(vhost), short(''), Buffer.from([0])]));
      } else {
        if (held === undefined) socket.destroy();
        else held.addEventListener('abort', () => socket.destroy());
        if (method === OPEN_OK) return 'open';
        return isTuned ? 'closed' : 'refused';
      }
    }
  }
  throw new Error('the broker closed the connection silently');
}

/** Asks for a reply to failed logins; without it the broker waits and then resets the connection. */
const CLIENT = table(
  Buffer.concat([short('capabilities'), Buffer.from('F'), table(told('authentication_failure_close'))]),
);

function told(name: string): Buffer {
  return Buffer.concat([short(name), Buffer.from('t'), Buffer.from([1])]);
}

function table(entries: Buffer): Buffer {
  return Buffer.concat([int32(entries.length), entries]);
}

function frame(method: number, parts: readonly Buffer[]): Buffer {
  const payload = Buffer.concat([Buffer.from([0, 10, 0, method]), ...parts]);
  return Buffer.concat([Buffer.from([1, 0, 0]), int32(payload.length), payload, Buffer.from([FRAME_END])]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function short(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
