import { UsageError } from '../../core/errors.ts';
import { check } from '../ask/check.ts';
import { socketQuestion } from '../local/unix-socket.ts';
import { PATTERN_OPTION, PROCESS_OPTION, processQuery } from './arguments.ts';

/** Checks that a process of this Pod listens on a Unix socket. Opens no connection. */
export const socket = check({
  word: 'socket',
  summary: 'Checks that a process of this Pod listens on a Unix socket.',
  description:
    "Reads the kernel's socket table and opens no connection; a socket file alone proves nothing, as it outlives its server. " +
    'Abstract sockets are written as @NAME.',
  operands: [{ name: 'PATH', help: 'socket, such as /run/libvirt/libvirt-sock, or @NAME' }],
  options: [PROCESS_OPTION, PATTERN_OPTION],
  examples: [
    {
      line: 'kolla-probe socket /run/openvswitch/db.sock --process ovsdb-server',
      does: 'healthy while ovsdb-server listens on the socket',
    },
    { line: 'kolla-probe socket /run/libvirt/libvirt-sock', does: 'with any process listening' },
  ],
  prepare({ operands: [path = ''], options: { process: name, pattern } }) {
    if (!/^(?:\/|@.)/.test(path)) throw new UsageError(`socket: '${path}' is not a path that starts with /, or @NAME`);
    const process = name === undefined ? undefined : processQuery('socket', name, pattern);
    return socketQuestion({ process, path }, `socket ${path}`);
  },
});
