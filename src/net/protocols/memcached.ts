import type { Heard } from '../exchange.ts';
import { bad, good, type Answer } from './answer.ts';

/** What to say to it. */
export const ASK_VERSION = Buffer.from('version\r\n');

const PREFIX = 'VERSION ';
const FULL = 'ERROR Too many open connections';

/** The answer to `version`: one line. */
export function understandVersion(bytes: Buffer): Heard<Answer> {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n');
  if (end !== -1 && text.startsWith(PREFIX)) return { is: good(`version ${text.slice(PREFIX.length, end)}`) };
  if (PREFIX.startsWith(text.slice(0, PREFIX.length)) && end === -1) return { more: true };
  if (text.startsWith(FULL)) return { is: bad('it has as many connections as it takes (its option -c)') };
  if (FULL.startsWith(text)) return { more: true };
  return { is: bad('what answers there is not memcached') };
}
