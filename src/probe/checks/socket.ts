import { UsageError } from '../../core/errors.ts';
import { check } from '../check.ts';
import { socketQuestion } from '../local/unix-socket.ts';
import { PATTERN_OPTION, PROCESS_OPTION, processQuery } from './arguments.ts';

/** Checks that a process of this Pod listens on a Unix socket. Opens no connection. */
export const socket = check({
  word: 'socket',
  summary: 'Checks that a process of this Pod listens on a Unix socket.',
  description:
    "Looked up in the kernel's table, without a connection: a socket file alone says nothing, since it outlives its server. " +
    'An abstract socket is written @NAME.',
  operands: [{ name: 'PATH', help: '/run/libvirt/libvirt-sock, or @NAME' }],
  options: [PROCESS_OPTION, PATTERN_OPTION],
  examples: [
    {
      line: 'kolla-probe socket /run/openvswitch/db.sock --process ovsdb-server',
      does: 'healthy while it listens there',
    },
    { line: 'kolla-probe socket /run/libvirt/libvirt-sock', does: 'any process that listens there' },
  ],
  prepare({ operands: [path = ''], options: { process: name, pattern } }) {
    if (!/^(?:\/|@.)/.test(path)) throw new UsageError(`socket: '${path}' is not a path that starts with /, or @NAME`);
    const process = name === undefined ? undefined : processQuery('socket', name, pattern);
    return socketQuestion({ process, path }, `socket ${path}`);
  },
});
