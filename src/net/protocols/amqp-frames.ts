import type { Conversation, Parsed } from '../dial/conversation.ts';

/** A method of AMQP 0-9-1, numbered CLASS_METHOD: its reference, sections 1.4 (connection), 1.5 and 1.8. */
export const CONNECTION = {
  startOk: 10_011,
  secure: 10_020,
  tune: 10_030,
  tuneOk: 10_031,
  open: 10_040,
  openOk: 10_041,
  close: 10_050,
  closeOk: 10_051,
} as const;
export const CHANNEL = { open: 20_010, openOk: 20_011, close: 20_040, closeOk: 20_041 } as const;
export const QUEUE = { declare: 50_010, declareOk: 50_011, delete: 50_040, deleteOk: 50_041 } as const;

const CLASS = 1000;
const CLASSES: readonly number[] = [10, 20, 50];
const METHOD_FRAME = 1;
const FRAME_END = 0xce;
export const FRAME_MAX = 131_072;

export interface Method {
  readonly method: number;
  readonly fields: Buffer;
}

/** The next method, on any channel. Heartbeats are skipped. */
export async function hearMethod(talk: Conversation): Promise<Method> {
  for (;;) {
    const frame = await talk.hear(frameIn);
    if (frame !== 'heartbeat') return frame;
  }
}

/** Type, channel (2), payload length (4), payload, end. For a method: class (2), method (2), fields. */
function frameIn(heard: Buffer): Parsed<Method | 'heartbeat'> {
  if (heard.length < 7) return undefined;
  const size = heard.readUInt32BE(3);
  const length = 7 + size + 1;
  if (size > FRAME_MAX) throw new Error('the server sends a frame that is too long for AMQP');
  if (heard.length < length) return undefined;
  if (heard[length - 1] !== FRAME_END) throw new Error('the server sends a frame with an invalid AMQP frame end');
  if (heard[0] !== METHOD_FRAME) return { is: 'heartbeat', length };
  const kind = size < 4 ? 0 : heard.readUInt16BE(7);
  if (!CLASSES.includes(kind)) throw new Error('the server breaks off the AMQP handshake');
  return { is: { method: kind * CLASS + heard.readUInt16BE(9), fields: heard.subarray(11, length - 1) }, length };
}

/** Sends a method: of a connection on channel 0, and of a channel on the only one, 1. */
export function sayMethod(talk: Conversation, method: number, ...fields: readonly Buffer[]): void {
  const kind = Math.floor(method / CLASS);
  const payload = Buffer.concat([int16(kind), int16(method % CLASS), ...fields]);
  const channel = int16(kind === CLASSES[0] ? 0 : 1);
  talk.say(Buffer.from([METHOD_FRAME]), channel, int32(payload.length), payload, Buffer.from([FRAME_END]));
}

export function entry(name: string, type: string, value: Buffer): Buffer {
  return Buffer.concat([short(name), Buffer.from(type), value]);
}

export function table(...entries: readonly Buffer[]): Buffer {
  const all = Buffer.concat(entries);
  return Buffer.concat([int32(all.length), all]);
}

export function long(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([int32(bytes.length), bytes]);
}

/** The caller ensures that the length is at most 255 bytes. */
export function short(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

export function int16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
