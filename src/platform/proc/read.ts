import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Reading /proc synchronously: it lies in memory, and a turn of the thread pool costs more than the read. What may be long
 * is read in pieces, between which others get their turn and the signal is heeded. Nothing but /proc is read so.
 */
const PIECE_BYTES = 65_536;
/** The kernel gives some 4 kB a read; so many of them are about 2 ms. */
const READS_A_TURN = 32;
/** No line of ours is that long: what is, was not written by the kernel. */
const LINE_CHARACTERS = 65_536;

/** The beginning of a file. Throws the system's error. */
export function readHead(file: string, bytes: number): string {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, bytes, null));
  } finally {
    closeSync(fd);
  }
}

/**
 * Calls `each` with every line, as Latin-1, until it returns true.
 * @returns whether it did
 * @throws the system's error; the signal's reason
 */
export async function eachLine(file: string, each: (line: string) => boolean, signal: AbortSignal): Promise<boolean> {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (let reads = 1; ; reads++) {
      const length = readSync(fd, buffer, 0, PIECE_BYTES, null);
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
