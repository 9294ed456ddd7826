import { PROTOCOL_HEADER, understandStart } from '../../net/protocols/greetings.ts';
import { greetedKind } from './greeting.ts';

export const amqp = greetedKind({
  word: 'amqp',
  means: 'the broker begins AMQP 0-9-1, and so takes logins; port 5672 unless given',
  defaultPort: 5672,
  say: PROTOCOL_HEADER,
  understand: understandStart,
});
