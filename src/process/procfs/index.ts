/**
 * What /proc tells about processes and their sockets, without rights, children or netlink.
 *
 *   name -> findProcesses (comm, cmdline) -> pids
 *   /proc/net/{tcp,tcp6,udp,udp6} -> eachInetSocket; /proc/net/unix -> eachUnixSocket: the sockets of this network
 *   namespace, whoever has them, with the inode of each
 *   pid -> eachSocketInode (/proc/PID/fd) -> whose a socket is, where we are that process's user or root
 *
 * Everything is read synchronously, because it lies in memory, and in turns with the event loop, so that tens of thousands of
 * sockets block nothing and the signal is heeded. What ends meanwhile is left out. Throws the system's error where there
 * is no /proc, and the signal's reason.
 */
export { eachSocketInode } from './descriptors.ts';
export { eachInetSocket, formatEndpoint, type InetSocket, type Protocol } from './inet-sockets.ts';
export { findProcesses, pidsIn, type NamedProcess, type ProcessQuery } from './named.ts';
export { readHead } from './read.ts';
export { eachUnixSocket, type UnixSocket } from './unix-sockets.ts';
