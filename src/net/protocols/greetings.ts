/** Greetings of servers, which identify them. Waits and checks need nothing more. */
import type { Understood } from '../dial/conversation.ts';
import { bad, good, type Answer } from './answer.ts';
import { openingIn } from './mysql-packets.ts';

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

export const NOT_MYSQL = 'the server is not MySQL';

/** MySQL's first packet: the server's version, or why it rejects clients. */
export function understandGreeting(bytes: Buffer): Understood<Answer> {
  const opening = openingIn(bytes)?.is;
  if (opening === undefined) return undefined;
  if (opening.kind === 'other') return { is: bad(NOT_MYSQL) };
  if (opening.kind === 'error') return { is: bad(`error ${opening.errno}: ${opening.text}`) };
  return { is: good(`greets as ${opening.version}`) };
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
