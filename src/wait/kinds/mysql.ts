import { understandGreeting } from '../../net/protocols/greetings.ts';
import { greetedKind } from './greeting.ts';

export const mysql = greetedKind({
  word: 'mysql',
  means: 'MySQL or MariaDB greets, and so takes logins; port 3306 unless given',
  defaultPort: 3306,
  understand: understandGreeting,
});
