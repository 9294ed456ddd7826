import type { Heard } from '../../platform/exchange.ts';
import { met, pending, type Verdict } from '../verdict.ts';
import { greetedKind } from './greeting.ts';

const HEADER_BYTES = 4;
const PROTOCOL = 10;
const ERROR = 0xff;

/** The first packet: the server's version, or why it talks to nobody (too many connections, a blocked host). */
export function understandGreeting(bytes: Buffer): Heard<Verdict> {
  if (bytes.length < HEADER_BYTES + 1) return { more: true };
  const length = bytes.readUIntLE(0, 3);
  const kind = bytes[HEADER_BYTES];
  if (kind !== PROTOCOL && kind !== ERROR) return { is: pending('what answers there is not MySQL') };
  if (bytes.length < HEADER_BYTES + length) return { more: true };
  const body = bytes.subarray(HEADER_BYTES + 1, HEADER_BYTES + length);
  if (kind === ERROR) return { is: pending(`error ${body.readUInt16LE(0)}: ${body.toString('utf8', 2)}`) };
  // MariaDB says 5.5.5- first, for replicas that take 10 for less than 5.
  const version = body.toString('latin1', 0, Math.max(0, body.indexOf(0))).replace(/^5\.5\.5-/, '');
  return { is: met(`greets as ${version}`) };
}

export const mysql = greetedKind({
  word: 'mysql',
  means: 'MySQL or MariaDB greets, and so takes logins; port 3306 unless given',
  defaultPort: 3306,
  understand: understandGreeting,
});
