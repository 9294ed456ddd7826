import type { Heard } from '../exchange.ts';
import { bad, good, type Answer } from './answer.ts';

const HEADER_BYTES = 4;
const PROTOCOL = 10;
const ERROR = 0xff;

/** The first packet: the server's version, or why it talks to nobody (too many connections, a blocked host). */
export function understandGreeting(bytes: Buffer): Heard<Answer> {
  if (bytes.length < HEADER_BYTES + 1) return { more: true };
  const length = bytes.readUIntLE(0, 3);
  const kind = bytes[HEADER_BYTES];
  if (kind !== PROTOCOL && kind !== ERROR) return { is: bad('what answers there is not MySQL') };
  if (bytes.length < HEADER_BYTES + length) return { more: true };
  const body = bytes.subarray(HEADER_BYTES + 1, HEADER_BYTES + length);
  if (kind === ERROR) return { is: bad(`error ${body.readUInt16LE(0)}: ${body.toString('utf8', 2)}`) };
  // MariaDB says 5.5.5- first, for replicas that take 10 for less than 5.
  const version = body.toString('latin1', 0, Math.max(0, body.indexOf(0))).replace(/^5\.5\.5-/, '');
  return { is: good(`greets as ${version}`) };
}
