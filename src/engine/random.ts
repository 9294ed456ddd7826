import { closeSync, constants, openSync, readSync } from './fs.ts';

/** Random bytes from the kernel's generator. */
export function randomBytes(count: number): Uint8Array {
  const fd = openSync('/dev/urandom', constants.O_RDONLY);
  try {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count;) at += readSync(fd, bytes, at);
    return bytes;
  } finally {
    closeSync(fd);
  }
}
