import type { Heard } from '../../platform/exchange.ts';
import { met, pending, type Verdict } from '../verdict.ts';
import { greetedKind } from './greeting.ts';

/** The answer to `version`: one line. */
export function understandVersion(bytes: Buffer): Heard<Verdict> {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n');
  if (end !== -1 && text.startsWith('VERSION ')) return { is: met(`version ${text.slice('VERSION '.length, end)}`) };
  if ('VERSION '.startsWith(text.slice(0, 8)) && end === -1) return { more: true };
  return { is: pending('what answers there is not memcached') };
}

export const memcached = greetedKind({
  word: 'memcached',
  means: 'memcached tells its version; port 11211 unless given',
  defaultPort: 11_211,
  say: Buffer.from('version\r\n'),
  understand: understandVersion,
});
