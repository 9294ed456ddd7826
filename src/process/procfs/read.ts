import { closeSync, constants, openSync, readSync } from 'node:fs';

/**
 * Reading /proc synchronously: it lies in memory, and a turn of the thread pool costs more than the read. What may be long
 * is read in pieces, between which others get their turn and the signal is heeded. Nothing but /proc is read so.
 */
const PIECE_BYTES = 65_536;
/** The kernel gives some 4 kB a read; so many of them are about 2 ms. */
const READS_A_TURN = 32;
/**
 * A row of /proc/net/tcp. Behind the last of them the kernel walks the rest of its table, which all network namespaces share:
 * milliseconds, that who has found its row need not pay. Who asks for more than a row makes it walk to the next.
 */
const ROW_BYTES = 160;
const ROW_READS = 100;
/** No line of ours is that long: what is, was not written by the kernel. */
const LINE_CHARACTERS = 65_536;

const HEAD_BYTES = 4096;
/** One for all: hundreds of files are read in a turn. */
let head: Buffer | undefined;

/** The beginning of a file. Throws the system's error. @param bytes 4096 at most */
export function readHead(file: string, bytes: number): string {
  const fd = openSync(file, constants.O_RDONLY);
  try {
    head ??= Buffer.allocUnsafe(HEAD_BYTES);
    return head.toString('utf8', 0, readSync(fd, head, 0, Math.min(bytes, HEAD_BYTES), null));
  } finally {
    closeSync(fd);
  }
}

/**
 * Calls `each` with every line, as Latin-1, until it returns true.
 * @param isByRow to read the first rows one by one, where to stop early saves more than reads cost
 * @returns whether it did
 * @throws the system's error; the signal's reason
 */
export async function eachLine(
  file: string,
  each: (line: string) => boolean,
  signal: AbortSignal,
  isByRow = false,
): Promise<boolean> {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (let reads = 1; ; reads++) {
      const length = readSync(fd, buffer, 0, isByRow && reads <= ROW_READS ? ROW_BYTES : PIECE_BYTES, null);
      if (length === 0) return rest !== '' && each(rest);
      const lines = (rest + buffer.toString('latin1', 0, length)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (each(line)) return true;
      if (rest.length > LINE_CHARACTERS) rest = '';
      if (reads % READS_A_TURN === 0) await othersTurn(signal);
    }
  } finally {
    closeSync(fd);
  }
}

/** Lets what waits in the event loop run. Throws the signal's reason. */
export async function othersTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
