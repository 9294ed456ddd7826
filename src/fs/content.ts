import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';

/** What a file holds: its bytes or, where those are many, the file that they are read from piece by piece. */
export type Content = Uint8Array | LargeFile;

/** Above this, a file is not held in memory. A ConfigMap is no larger, so what is read of one is of one version. */
const HELD_MAX_BYTES = 1_048_576;
const CHUNK_BYTES = 262_144;

/** A file that is read each time anew. One that is another by then, or is written to meanwhile, is an error. */
export class LargeFile implements Disposable {
  readonly path: string;
  readonly byteLength: number;
  readonly #identity: string;
  readonly #open: () => number;
  #kept: number | undefined;

  /**
   * @param path as a person knows it
   * @param open gives a descriptor of it, as often as it is read
   */
  constructor(path: string, found: Stats, open: () => number) {
    this.path = path;
    this.byteLength = found.size;
    this.#identity = identityOf(found);
    this.#open = open;
  }

  /** Stays open until it is disposed of: what takes its name meanwhile changes nothing. */
  keepOpen(): this {
    this.#kept ??= this.#open();
    return this;
  }

  /** Each chunk holds until the next one is asked for. Throws the system's error, and EAGAIN for what has changed. */
  *chunks(): Generator<Uint8Array> {
    const fd = this.#kept ?? this.#open();
    try {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      this.#checkUnchanged(fd);
      for (let at = 0; at < this.byteLength;) {
        const length = fill(fd, buffer, at);
        if (length === 0) break;
        yield buffer.subarray(0, length);
        at += length;
      }
      this.#checkUnchanged(fd);
    } finally {
      if (fd !== this.#kept) closeSync(fd);
    }
  }

  [Symbol.dispose](): void {
    if (this.#kept !== undefined) closeSync(this.#kept);
    this.#kept = undefined;
  }

  #checkUnchanged(fd: number): void {
    if (identityOf(fstatSync(fd)) !== this.#identity) throw changedMeanwhile(this.path);
  }
}

/** What was another thing when it was looked at, or other bytes. */
export function changedMeanwhile(path: string): Error {
  const message = `${path} was changed while it was read; run it again when it is whole`;
  return Object.assign(new Error(message), { code: 'EAGAIN' });
}

/** Of a file of the disk, links followed. Throws the system's error. */
export function readContent(path: string): Content {
  const open = () => openSync(path, 'r');
  return reading(path, constants.O_RDONLY, (fd) => contentOf(path, fd, fstatSync(fd), open));
}

/** What was read of a file, and what it was then. */
export interface ReadFile {
  readonly content: Content;
  readonly stats: Stats;
}

/** Of an open file; undefined for what is no file. Parameters as of LargeFile. */
export function readHeld(fd: number, path: string, open: () => number): ReadFile | undefined {
  const stats = fstatSync(fd);
  return stats.isFile() ? { content: contentOf(path, fd, stats, open), stats } : undefined;
}

/** The bytes of it: what is held in one piece, so that one write takes all of it. */
export function chunksOf(content: Content): Iterable<Uint8Array> {
  return content instanceof LargeFile ? content.chunks() : [content];
}

/** All of it in memory. */
export function bytesOf(content: Content): Buffer {
  if (content instanceof LargeFile) return Buffer.concat(Array.from(content.chunks(), (chunk) => Buffer.from(chunk)));
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** Whether both are the same bytes. */
export function isSameContent(a: Content, b: Content): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const others = slicesOf(b);
  for (const slice of slicesOf(a)) {
    const { value, done } = others.next();
    if (done === true || Buffer.compare(slice, value) !== 0) return false;
  }
  return true;
}

/** Whether the file itself, and not what a link there leads to, holds that. Throws the system's error. */
export function fileHolds(path: string, content: Content): boolean {
  return reading(path, constants.O_RDONLY | constants.O_NOFOLLOW, (fd) => holds(fd, content));
}

/** Whether an open file holds that, compared in chunks. */
export function holds(fd: number, content: Content): boolean {
  if (fstatSync(fd).size !== content.byteLength) return false;
  let at = 0;
  const room = new Uint8Array(content instanceof LargeFile ? CHUNK_BYTES : content.byteLength);
  for (const chunk of chunksOf(content)) {
    const length = fill(fd, room, at);
    const found = length === room.byteLength ? room : room.subarray(0, length);
    if (Buffer.compare(chunk, found) !== 0) return false;
    at += length;
  }
  return true;
}

function contentOf(path: string, fd: number, found: Stats, open: () => number): Content {
  if (found.size > HELD_MAX_BYTES) return new LargeFile(path, found, open);
  // Files of /proc say 0. Else no more is read than it had when it was looked at: its end needs no call.
  if (found.size === 0) return readFileSync(fd);
  const bytes = new Uint8Array(found.size);
  const length = fill(fd, bytes, 0);
  return length === found.size ? bytes : bytes.subarray(0, length);
}

/** A pipe that took the place of a file since it was looked at reads as empty: without O_NONBLOCK, opening it waits for a writer. */
function reading<T>(path: string, flags: number, read: (fd: number) => T): T {
  const fd = openSync(path, flags | constants.O_NONBLOCK);
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

function identityOf({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join(' ');
}

/** Fills the buffer as far as the file goes on. */
function fill(fd: number, buffer: Uint8Array, from: number): number {
  let length = 0;
  while (length < buffer.byteLength) {
    const read = readSync(fd, buffer, length, buffer.byteLength - length, from + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** In pieces of the same lengths, whichever content it is. */
function* slicesOf(content: Content): Generator<Uint8Array> {
  for (const chunk of chunksOf(content))
    for (let at = 0; at < chunk.byteLength; at += CHUNK_BYTES) yield chunk.subarray(at, at + CHUNK_BYTES);
}
