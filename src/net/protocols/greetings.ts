/** Greetings of servers, which identify them. Waits and checks need nothing more. */
import type { Understood } from '#conversation';
import { bad, good, type Answer } from './answer.ts';

/** The request to memcached. */
export const ASK_VERSION = Buffer.from('version\r\n');

const VERSION_PREFIX = 'VERSION ';
const MEMCACHED_FULL = 'ERROR Too many open connections';

/** Parses memcached's response to `version`, which is one line. */
export function understandVersion(bytes: Buffer): Understood<Answer> {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n');
  if (end !== -1 && text.startsWith(VERSION_PREFIX))
    return { is: good(`version ${text.slice(VERSION_PREFIX.length, end)}`) };
  if (VERSION_PREFIX.startsWith(text.slice(0, VERSION_PREFIX.length)) && end === -1) return undefined;
  if (text.startsWith(MEMCACHED_FULL)) return { is: bad('it has reached its connection limit (its option -c)') };
  if (MEMCACHED_FULL.startsWith(text)) return undefined;
  return { is: bad('the server is not memcached') };
}

const MYSQL_HEADER_BYTES = 4;
const MYSQL_PROTOCOL = 10;
const MYSQL_ERROR = 0xff;

/** MySQL's first packet: the server's version, or why it rejects clients (too many connections, a blocked host). */
export function understandGreeting(bytes: Buffer): Understood<Answer> {
  if (bytes.length < MYSQL_HEADER_BYTES + 1) return undefined;
  const length = bytes.readUInt16LE(0) + (bytes[2]! << 16);
  const kind = bytes[MYSQL_HEADER_BYTES];
  if (kind !== MYSQL_PROTOCOL && kind !== MYSQL_ERROR) return { is: bad('the server is not MySQL') };
  if (bytes.length < MYSQL_HEADER_BYTES + length) return undefined;
  const body = bytes.subarray(MYSQL_HEADER_BYTES + 1, MYSQL_HEADER_BYTES + length);
  if (kind === MYSQL_ERROR) return { is: bad(`error ${body.readUInt16LE(0)}: ${body.toString('utf8', 2)}`) };
  // MariaDB prefixes its version with 5.5.5-, for replicas that compare 10 as less than 5.
  const version = body.toString('latin1', 0, Math.max(0, body.indexOf(0))).replace(/^5\.5\.5-/, '');
  return { is: good(`greets as ${version}`) };
}

/** An AMQP client's header. AMQP 0-9-1, section 4.2.2. */
export const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\u0009\u0001', 'latin1');
/** A method frame (1) on channel 0: its header is 7 bytes, then class 10 and method 10, Connection.Start. */
const METHOD_FRAME = 1;
const START = Buffer.from([0, 10, 0, 10]);
const START_AT = 7;

/** A broker's response to the header: Connection.Start, or the header of its own version. */
export function understandStart(bytes: Buffer): Understood<Answer> {
  const [type] = bytes;
  if (type === METHOD_FRAME) {
    if (bytes.length < START_AT + START.length) return undefined;
    const isStart = bytes.subarray(START_AT, START_AT + START.length).equals(START);
    return { is: isStart ? good('speaks AMQP 0-9-1') : bad('the server does not speak AMQP') };
  }
  const isHeader = bytes.subarray(0, 4).equals(PROTOCOL_HEADER.subarray(0, Math.min(4, bytes.length)));
  if (isHeader && bytes.length < PROTOCOL_HEADER.length) return undefined;
  return { is: bad(isHeader ? 'speaks another version of AMQP' : 'the server is not AMQP') };
}
