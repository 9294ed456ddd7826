import { ASK_VERSION, understandVersion } from '../../net/protocols/greetings.ts';
import { greetedKind } from './greeting.ts';

export const memcached = greetedKind({
  word: 'memcached',
  means: 'memcached tells its version; port 11211 unless given',
  defaultPort: 11_211,
  say: ASK_VERSION,
  understand: understandVersion,
});
