import { check } from '../check.ts';
import { portQuestion } from '../local/port.ts';
import { PATTERN_OPTION, PROCESS_OPTION, processQuery, portsOf } from './arguments.ts';

/** Does a process of this Pod listen on one of these ports, over IPv4 or IPv6? Opens no connection. */
export const listen = check({
  word: 'listen',
  summary: 'Does a process of this pod listen on one of these ports?',
  description:
    'Looked up in the tables of the kernel, over IPv4 and IPv6, without a connection. Ports are exact; of several one is enough. ' +
    'With --process it must be that process; whose a socket is can be seen from its own container, or with ' +
    'shareProcessNamespace and as the same user.',
  operands: [{ name: 'PORT', help: '11211', many: true }],
  options: [
    {
      flag: 'protocol',
      type: 'choice',
      values: ['tcp', 'udp'],
      env: 'KOLLA_PROBE_PROTOCOL',
      help: 'only this protocol (default either)',
      example: 'udp',
    },
    PROCESS_OPTION,
    PATTERN_OPTION,
  ],
  examples: [
    { line: 'kolla-probe listen 11211 --process memcached', does: 'healthy while memcached itself listens there' },
    { line: 'kolla-probe listen 53 --protocol udp', does: 'whoever answers DNS' },
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
