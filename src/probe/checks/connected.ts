import { UsageError } from '../../core/errors.ts';
import { check } from '../ask/check.ts';
import { portQuestion } from '../local/port.ts';
import { PATTERN_OPTION, processQuery, portsOf } from './arguments.ts';

/** Checks for an established connection to one of these ports, for services without a port of their own. */
export const connected = check({
  word: 'connected',
  summary: 'Checks for an established connection to one of these ports.',
  description:
    'Ports are remote ports and must match exactly; all of them together must have --at-least connections. ' +
    'Connections that are still being opened, or that the peer has closed, do not count. A sidecar sees processes of ' +
    'other containers only with shareProcessNamespace and the same user; with --any-process all sockets of the Pod count.',
  operands: [
    { name: 'PROCESS', help: 'name of the program or script; not needed with --any-process' },
    { name: 'PORT', help: 'remote port, such as 5672', many: true, optional: true },
  ],
  options: [
    {
      flag: 'any-process',
      type: 'boolean',
      env: 'KOLLA_PROBE_ANY_PROCESS',
      help: 'accept any process of this Pod',
      example: 'true',
    },
    PATTERN_OPTION,
    {
      flag: 'at-least',
      type: 'integer',
      env: 'KOLLA_PROBE_AT_LEAST',
      default: '1',
      help: 'minimum number of connections',
      details: "oslo.messaging has one for requests, one for replies, and further ones for a server's queues.",
      example: '3',
    },
  ],
  examples: [
    { line: 'kolla-probe connected nova-compute 5672', does: 'healthy while nova-compute is connected to RabbitMQ' },
    {
      line: 'kolla-probe connected nova-compute 5672 --at-least 3',
      does: 'healthy once its RPC server consumes its queues, so that it accepts work',
    },
    {
      line: 'kolla-probe connected --any-process 5671 5672',
      does: 'with any process of this Pod, to either port',
    },
  ],
  prepare({ operands, options: { anyProcess, pattern, atLeast } }) {
    const [first = '', ...rest] = operands;
    if (atLeast < 1) throw new UsageError(`connected: --at-least ${atLeast} is not a positive number`);
    const isNamed = !anyProcess || !/^\d+$/.test(first.trim());
    const ports = portsOf('connected', isNamed ? rest : operands);
    const process = anyProcess ? undefined : processQuery('connected', first, pattern);
    const question = portQuestion({ process, ports, atLeast }, 'connected', `connected ${operands.join(' ')}`);
    // The check contacts no server, but its result depends on a remote one.
    return { ...question, hosts: ['the other end of the connection'] };
  },
});
