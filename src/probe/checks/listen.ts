import { check } from '../ask/check.ts';
import { portQuestion } from '../local/port.ts';
import { PATTERN_OPTION, PROCESS_OPTION, processQuery, portsOf } from './arguments.ts';

/** Checks that a process of this Pod listens on one of these ports, over IPv4 or IPv6. Opens no connection. */
export const listen = check({
  word: 'listen',
  summary: 'Checks that a process of this Pod listens on one of these ports.',
  description:
    "Reads the kernel's socket tables for IPv4 and IPv6; opens no connection. Ports must match exactly; one " +
    'match is enough. With --process, that process must own the socket; owners are visible within the same ' +
    'container, or with shareProcessNamespace and the same user.',
  operands: [{ name: 'PORT', help: 'local port, such as 11211', many: true }],
  options: [
    {
      flag: 'protocol',
      type: 'choice',
      values: ['tcp', 'udp'],
      env: 'KOLLA_PROBE_PROTOCOL',
      help: 'protocol to check (default: both)',
      example: 'udp',
    },
    PROCESS_OPTION,
    PATTERN_OPTION,
  ],
  examples: [
    {
      line: 'kolla-probe listen 11211 --process memcached',
      does: 'healthy while memcached itself listens on that port',
    },
    { line: 'kolla-probe listen 53 --protocol udp', does: 'any DNS server' },
  ],
  prepare({ operands, options: { process: name, pattern, protocol } }) {
    const query = {
      process: name === undefined ? undefined : processQuery('listen', name, pattern),
      ports: portsOf('listen', operands),
      protocols: protocol && [protocol],
    };
    return portQuestion(query, 'listen', `listen ${operands.join(' ')}`);
  },
});
