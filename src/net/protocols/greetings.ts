import type { Understood } from '../conversation.ts';
import { bad, good, type Answer } from './answer.ts';

/** What a client says first. AMQP 0-9-1, section 4.2.2. */
export const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\u0009\u0001', 'latin1');
/** A method frame (1) on channel 0: its header is 7 bytes, then class 10 and method 10, Connection.Start. */
const METHOD_FRAME = 1;
const START = Buffer.from([0, 10, 0, 10]);
const START_AT = 7;

/** What a broker says to the protocol's header: Connection.Start, or the header of the version that it would speak. */
export function understandStart(bytes: Buffer): Understood<Answer> {
  const [type] = bytes;
  if (type === METHOD_FRAME) {
    if (bytes.length < START_AT + START.length) return undefined;
    const isStart = bytes.subarray(START_AT, START_AT + START.length).equals(START);
    return { is: isStart ? good('speaks AMQP 0-9-1') : bad('what answers there does not begin as AMQP does') };
  }
  const isHeader = bytes.subarray(0, 4).equals(PROTOCOL_HEADER.subarray(0, Math.min(4, bytes.length)));
  if (isHeader && bytes.length < PROTOCOL_HEADER.length) return undefined;
  return { is: bad(isHeader ? 'speaks another version of AMQP' : 'what answers there is not AMQP') };
}

/** What to say to it. */
export const ASK_VERSION = Buffer.from('version\r\n');

const VERSION = 'VERSION ';
const FULL = 'ERROR Too many open connections';

/** The answer to `version`: one line. */
export function understandVersion(bytes: Buffer): Understood<Answer> {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n');
  if (end !== -1 && text.startsWith(VERSION)) return { is: good(`version ${text.slice(VERSION.length, end)}`) };
  if (VERSION.startsWith(text.slice(0, VERSION.length)) && end === -1) return undefined;
  if (text.startsWith(FULL)) return { is: bad('it has as many connections as it takes (its option -c)') };
  if (FULL.startsWith(text)) return undefined;
  return { is: bad('what answers there is not memcached') };
}

const HEADER_BYTES = 4;
const PROTOCOL = 10;
const ERROR = 0xff;

/** The first packet: the server's version, or why it talks to nobody (too many connections, a blocked host). */
export function understandGreeting(bytes: Buffer): Understood<Answer> {
  if (bytes.length < HEADER_BYTES + 1) return undefined;
  const length = bytes.readUIntLE(0, 3);
  const kind = bytes[HEADER_BYTES];
  if (kind !== PROTOCOL && kind !== ERROR) return { is: bad('what answers there is not MySQL') };
  if (bytes.length < HEADER_BYTES + length) return undefined;
  const body = bytes.subarray(HEADER_BYTES + 1, HEADER_BYTES + length);
  if (kind === ERROR) return { is: bad(`error ${body.readUInt16LE(0)}: ${body.toString('utf8', 2)}`) };
  // MariaDB says 5.5.5- first, for replicas that take 10 for less than 5.
  const version = body.toString('latin1', 0, Math.max(0, body.indexOf(0))).replace(/^5\.5\.5-/, '');
  return { is: good(`greets as ${version}`) };
}
