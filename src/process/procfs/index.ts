/**
 * Processes and their sockets from /proc, without privileges, child processes or netlink.
 *
 *   name -> findProcesses (comm, cmdline) -> pids
 *   /proc/net/{tcp,tcp6,udp,udp6} -> eachInetSocket; /proc/net/unix -> eachUnixSocket: all sockets of this network
 *   namespace, with their inodes
 *   pid -> eachSocketInode (/proc/PID/fd) -> a socket's owner, as that process's user or root
 *
 * Everything is read synchronously, because it is in memory, and in turns with the event loop, so that tens of
 * thousands of sockets block nothing and the signal is handled. Processes that exit meanwhile are skipped. Throws the
 * system's error without /proc, and the signal's reason.
 */
export { eachSocketInode } from './descriptors.ts';
export { eachInetSocket, formatEndpoint, type InetSocket, type Protocol } from './inet-sockets.ts';
export { commandOf, findProcesses, type NamedProcess, type ProcessQuery } from './named.ts';
export { pidsIn, shownName } from './processes.ts';
export { readHead } from './read.ts';
export { eachUnixSocket, type UnixSocket } from './unix-sockets.ts';
