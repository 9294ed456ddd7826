import { closeSync, constants, openSync, readSync } from 'node:fs';
import { codeOf } from '../../core/errors.ts';

/**
 * Size of one piece. Only for /proc, which is read synchronously: it is in memory, and a thread switch costs more than
 * the read. Long files are read in pieces, and other work runs in between.
 */
const PIECE_BYTES = 65_536;
/** Number of reads per turn. The kernel returns about 4 kB per read, and this many reads take about 2 ms. */
const READS_A_TURN = 32;
/**
 * Size of a row of /proc/net/tcp. After the last row the kernel walks the rest of its table, shared by all network
 * namespaces, which takes milliseconds: a caller that has found its row need not pay that. Reading more than a row
 * makes it walk to the next.
 */
const ROW_BYTES = 160;
const ROW_READS = 100;
/** Maximum length of a line from the kernel. */
const LINE_CHARACTERS = 65_536;

const HEAD_BYTES = 4096;
/** A shared buffer, because hundreds of files are read per turn. */
let head: Buffer | undefined;

/**
 * Reads the beginning of a file. Throws the system's error.
 * @param bytes number of bytes, 4096 at most
 */
export function readHead(file: string, bytes: number): string {
  const fd = openSync(file, constants.O_RDONLY);
  try {
    head ??= Buffer.allocUnsafe(HEAD_BYTES);
    return head.toString('utf8', 0, readSync(fd, head, 0, Math.min(bytes, HEAD_BYTES), null));
  } finally {
    closeSync(fd);
  }
}

/** The result of reading about a process; undefined if it has exited, or is hidden (hidepid). */
export function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

interface Reading {
  /** Reads row by row, if stopping early saves more than the additional reads cost. */
  readonly isByRow?: boolean;
  /** Reports only lines that contain one of these. Tables may have 100,000 lines, few of which are relevant. */
  readonly having?: readonly string[];
}

/**
 * Calls `each` with every line, as Latin-1, until it returns true.
 * @returns whether `each` has returned true
 * @throws the system's error; the signal's reason
 */
export async function eachLine(
  file: string,
  each: (line: string) => boolean,
  signal: AbortSignal,
  { isByRow = false, having }: Reading = {},
): Promise<boolean> {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (let reads = 1; ; reads++) {
      const length = readSync(fd, buffer, 0, isByRow && reads <= ROW_READS ? ROW_BYTES : PIECE_BYTES, null);
      const text = rest + (length === 0 ? '\n' : buffer.toString('latin1', 0, length));
      const end = text.lastIndexOf('\n') + 1;
      for (const line of linesOf(text.slice(0, end), having)) if (each(line)) return true;
      if (length === 0) return false;
      rest = text.slice(end);
      if (rest.length > LINE_CHARACTERS) rest = '';
      if (reads % READS_A_TURN === 0) await othersTurn(signal);
    }
  } finally {
    closeSync(fd);
  }
}

/** @param text whole lines */
function linesOf(text: string, having: readonly string[] | undefined): Iterable<string> {
  return having === undefined ? text.split('\n').slice(0, -1) : linesHaving(text, having);
}

function* linesHaving(text: string, having: readonly string[]): Generator<string> {
  const found = having.map((part) => text.indexOf(part));
  for (;;) {
    const first = Math.min(...found.filter((at) => at !== -1));
    if (first === Infinity) return;
    const end = text.indexOf('\n', first);
    yield text.slice(text.lastIndexOf('\n', first) + 1, end);
    for (const [i, at] of found.entries()) if (at !== -1 && at < end) found[i] = text.indexOf(having[i]!, end);
  }
}

/** Yields to the event loop. Throws the signal's reason. */
export async function othersTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
