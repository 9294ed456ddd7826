/** Linux's error numbers with Node's codes and texts. Other errors are shown by their number. */
const ERRORS: Readonly<Record<number, readonly [code: string, text: string]>> = {
  1: ['EPERM', 'operation not permitted'],
  2: ['ENOENT', 'no such file or directory'],
  3: ['ESRCH', 'no such process'],
  4: ['EINTR', 'interrupted system call'],
  5: ['EIO', 'i/o error'],
  6: ['ENXIO', 'no such device or address'],
  7: ['E2BIG', 'argument list too long'],
  8: ['ENOEXEC', 'exec format error'],
  9: ['EBADF', 'bad file descriptor'],
  10: ['ECHILD', 'no child processes'],
  11: ['EAGAIN', 'resource temporarily unavailable'],
  12: ['ENOMEM', 'not enough memory'],
  13: ['EACCES', 'permission denied'],
  14: ['EFAULT', 'bad address in system call argument'],
  16: ['EBUSY', 'resource busy or locked'],
  17: ['EEXIST', 'file already exists'],
  18: ['EXDEV', 'cross-device link not permitted'],
  19: ['ENODEV', 'no such device'],
  20: ['ENOTDIR', 'not a directory'],
  21: ['EISDIR', 'illegal operation on a directory'],
  22: ['EINVAL', 'invalid argument'],
  23: ['ENFILE', 'file table overflow'],
  24: ['EMFILE', 'too many open files'],
  25: ['ENOTTY', 'inappropriate ioctl for device'],
  26: ['ETXTBSY', 'text file is busy'],
  27: ['EFBIG', 'file too large'],
  28: ['ENOSPC', 'no space left on device'],
  29: ['ESPIPE', 'invalid seek'],
  30: ['EROFS', 'read-only file system'],
  31: ['EMLINK', 'too many links'],
  32: ['EPIPE', 'broken pipe'],
  34: ['ERANGE', 'result too large'],
  36: ['ENAMETOOLONG', 'name too long'],
  38: ['ENOSYS', 'function not implemented'],
  39: ['ENOTEMPTY', 'directory not empty'],
  40: ['ELOOP', 'too many symbolic links encountered'],
  95: ['ENOTSUP', 'operation not supported on socket'],
  97: ['EAFNOSUPPORT', 'address family not supported'],
  98: ['EADDRINUSE', 'address already in use'],
  99: ['EADDRNOTAVAIL', 'address not available'],
  100: ['ENETDOWN', 'network is down'],
  101: ['ENETUNREACH', 'network is unreachable'],
  103: ['ECONNABORTED', 'software caused connection abort'],
  104: ['ECONNRESET', 'connection reset by peer'],
  106: ['EISCONN', 'socket is already connected'],
  107: ['ENOTCONN', 'socket is not connected'],
  110: ['ETIMEDOUT', 'connection timed out'],
  111: ['ECONNREFUSED', 'connection refused'],
  112: ['EHOSTDOWN', 'host is down'],
  113: ['EHOSTUNREACH', 'host is unreachable'],
  116: ['ESTALE', 'stale file handle'],
  122: ['EDQUOT', 'disk quota exceeded'],
};

/**
 * An error with Node's message: `ENOENT: no such file or directory, open '/x'`.
 * @param result the result of the call: minus errno
 */
export function systemError(result: number, syscall: string, path?: string, dest?: string): NodeJS.ErrnoException {
  const [code, text] = ERRORS[-result] ?? [`E${-result}`, `error ${-result}`];
  const places = [path, dest].flatMap((place) => (place === undefined ? [] : [`'${place}'`]));
  const where = places.length === 0 ? '' : ` ${places.join(' -> ')}`;
  const error = new Error(`${code}: ${text}, ${syscall}${where}`);
  return Object.assign(error, { errno: result, code, syscall, ...(path === undefined ? {} : { path }) });
}

/** The result of a call. Throws if it is an error. */
export function done(result: number, syscall: string, path?: string, dest?: string): number {
  if (result < 0) throw systemError(result, syscall, path, dest);
  return result;
}
