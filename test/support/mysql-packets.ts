/** What a scripted MySQL server sends. */
import type { Socket } from 'node:net';
import { numbersFrom } from './random.ts';

export function packet(number: number, payload: Uint8Array | string): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  return Buffer.concat([
    Buffer.from([bytes.length & 0xff, (bytes.length >> 8) & 0xff, bytes.length >> 16, number]),
    bytes,
  ]);
}

/** LONG_PASSWORD, PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH. */
export const CAPABILITIES = 0x1 | 0x200 | 0x8000 | 0x8_0000;
export const TLS = 0x800;
export const NONCE = 'abcdefghijklmnopqrst';

/** A greeting's payload. */
export function greeting(plugin = 'mysql_native_password', capabilities = CAPABILITIES): Buffer {
  const half = (value: number) => Buffer.from([value & 0xff, (value >> 8) & 0xff]);
  return Buffer.concat([
    Buffer.from(`\n8.4.0\0\u0001\0\0\0${NONCE.slice(0, 8)}\0`),
    half(capabilities),
    Buffer.from([45, 2, 0]),
    half(capabilities >>> 16),
    Buffer.from([NONCE.length + 1]),
    Buffer.alloc(10),
    Buffer.from(`${NONCE.slice(8)}\0${plugin}\0`),
  ]);
}

export const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const END = Buffer.from([0xfe, 0, 0, 2, 0]);

export function refusal(errno: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, errno & 0xff, errno >> 8]), Buffer.from(text)]);
}

function sized(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
}

/** A column's definition. @param type of its values; 253 is text */
export function column(name: string, type = 253): Buffer {
  const names = ['def', '', '', '', name, name].map(sized);
  return Buffer.concat([...names, Buffer.from([12, 45, 0, 0, 1, 0, 0, type, 0, 0, 0, 0, 0])]);
}

/** Packets of a result. */
export function result(columns: readonly Buffer[], rows: readonly (readonly (string | null)[])[]): Buffer[] {
  const row = (values: readonly (string | null)[]) =>
    Buffer.concat(values.map((value) => (value === null ? Buffer.from([0xfb]) : sized(value))));
  return [Buffer.from([columns.length]), ...columns, END, ...rows.map(row), END];
}

/** Numbers the packets of a response. @param first its number: 0 for a greeting, 2 for a login's, 1 for a query's */
export function packets(first: number, ...payloads: readonly (Uint8Array | string)[]): Buffer {
  return Buffer.concat(payloads.map((payload, i) => packet(first + i, payload)));
}

/**
 * Sends the first bytes at once, each further ones after a packet of the client, and then nothing; `end` closes the
 * connection.
 */
export function scripted(steps: readonly (Buffer | 'end')[]): (socket: Socket) => void {
  return (socket) => {
    const rest = [...steps];
    let heard = Buffer.alloc(0);
    const step = () => {
      const next = rest.shift();
      if (next === 'end') socket.end();
      else if (next !== undefined) socket.write(next);
      if (rest[0] === 'end' && next !== 'end') step();
    };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      while (heard.length >= 4 && heard.length >= 4 + heard.readUIntLE(0, 3)) {
        heard = heard.subarray(4 + heard.readUIntLE(0, 3));
        step();
      }
    });
    step();
  };
}

/** The same bytes, some of which are changed, missing or twice. */
export function faulty(good: Buffer, seed: number): Buffer {
  const below = numbersFrom(seed);
  let bytes = Buffer.from(good);
  for (let i = 0; i <= below(3); i++) {
    const at = below(bytes.length);
    const how = below(3);
    const to = how === 1 ? at + 1 + below(8) : Math.max(0, at - below(8));
    if (how === 0) bytes[at] = below(256);
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
  }
  return bytes;
}
