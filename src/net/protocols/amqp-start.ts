import type { Heard } from '../exchange.ts';
import { bad, good, type Answer } from './answer.ts';

/** What a client says first. AMQP 0-9-1, section 4.2.2. */
export const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\u0009\u0001', 'latin1');
/** A method frame (1) on channel 0: its header is 7 bytes, then class 10 and method 10, Connection.Start. */
const METHOD_FRAME = 1;
const START = Buffer.from([0, 10, 0, 10]);
const START_AT = 7;

/** What a broker says to the protocol's header: Connection.Start, or the header of the version that it would speak. */
export function understandStart(bytes: Buffer): Heard<Answer> {
  const [type] = bytes;
  if (type === METHOD_FRAME) {
    if (bytes.length < START_AT + START.length) return { more: true };
    const isStart = bytes.subarray(START_AT, START_AT + START.length).equals(START);
    return { is: isStart ? good('speaks AMQP 0-9-1') : bad('what answers there does not begin as AMQP does') };
  }
  const isHeader = bytes.subarray(0, 4).equals(PROTOCOL_HEADER.subarray(0, Math.min(4, bytes.length)));
  if (isHeader && bytes.length < PROTOCOL_HEADER.length) return { more: true };
  return { is: bad(isHeader ? 'speaks another version of AMQP' : 'what answers there is not AMQP') };
}
