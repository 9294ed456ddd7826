import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';

/** A file's content: its bytes or, if they are many, the file from which they are read in chunks. */
export type Content = Uint8Array | LargeFile;

/**
 * Above this size, a file is not kept in memory. A ConfigMap is no larger, so content read from one is of one version.
 */
const HELD_MAX_BYTES = 1_048_576;
const CHUNK_BYTES = 262_144;

/** A file that is read from disk each time. If it is replaced or written to meanwhile, reading fails. */
export class LargeFile implements Disposable {
  readonly path: string;
  readonly byteLength: number;
  readonly #identity: string;
  readonly #open: () => number;
  #kept: number | undefined;

  /**
   * @param path the path shown to users
   * @param open opens a descriptor for each read
   */
  constructor(path: string, found: Stats, open: () => number) {
    this.path = path;
    this.byteLength = found.size;
    this.#identity = identityOf(found);
    this.#open = open;
  }

  /** Keeps the file open until disposed, so that replacing its name has no effect. */
  keepOpen(): this {
    this.#kept ??= this.#open();
    return this;
  }

  /**
   * Each chunk is valid until the next one is requested. Throws the system's error, and EAGAIN if the file has changed.
   */
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

/** The error for a file that has changed since it was examined. */
export function changedMeanwhile(path: string): Error {
  const message = `${path} changed while it was read; retry when it is complete`;
  return Object.assign(new Error(message), { code: 'EAGAIN' });
}

/** Reads a file on disk, following links. Throws the system's error. */
export function readContent(path: string): Content {
  const open = () => openSync(path, 'r');
  return reading(path, constants.O_RDONLY, (fd) => contentOf(path, fd, fstatSync(fd), open));
}

/**
 * Reads a regular file into memory, following links. Throws the system's error, and an error for a FIFO or a device,
 * which may never end.
 */
export function readRegular(path: string): Buffer {
  return reading(path, constants.O_RDONLY, (fd) => {
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is not a regular file`);
    return readFileSync(fd);
  });
}

/** A file's content, with its stat at the same time. */
export interface ReadFile {
  readonly content: Content;
  readonly stats: Stats;
}

/** Reads an open file; undefined if it is not a regular file. The parameters are those of LargeFile. */
export function readHeld(fd: number, path: string, open: () => number): ReadFile | undefined {
  const stats = fstatSync(fd);
  return stats.isFile() ? { content: contentOf(path, fd, stats, open), stats } : undefined;
}

/** The bytes in chunks. Content in memory is one chunk, so that it needs one write. */
export function chunksOf(content: Content): Iterable<Uint8Array> {
  return content instanceof LargeFile ? content.chunks() : [content];
}

/** Reads the whole content into memory. */
export function bytesOf(content: Content): Buffer {
  if (content instanceof LargeFile) return Buffer.concat(Array.from(content.chunks(), (chunk) => Buffer.from(chunk)));
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** Whether both contents are equal. */
export function isSameContent(a: Content, b: Content): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const others = slicesOf(b);
  try {
    for (const slice of slicesOf(a)) {
      const { value, done } = others.next();
      if (done === true || Buffer.compare(slice, value) !== 0) return false;
    }
    return others.next().done === true;
  } finally {
    // Unlike the loop's, it is closed only by this.
    others.return(undefined);
  }
}

/** Whether the file itself, not the target of a link, has that content. Throws the system's error. */
export function fileHolds(path: string, content: Content): boolean {
  return reading(path, constants.O_RDONLY | constants.O_NOFOLLOW, (fd) => holds(fd, content));
}

/** Whether an open file has that content. It is compared in chunks. */
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
  // Files in /proc report size 0. Other files are read only up to their size, which saves a call at the end.
  if (found.size === 0) return readFileSync(fd);
  const bytes = new Uint8Array(found.size);
  const length = fill(fd, bytes, 0);
  return length === found.size ? bytes : bytes.subarray(0, length);
}

/** A FIFO in place of the examined file reads as empty; without O_NONBLOCK, opening it would wait for a writer. */
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

/** Fills the buffer until the file ends. */
function fill(fd: number, buffer: Uint8Array, from: number): number {
  let length = 0;
  while (length < buffer.byteLength) {
    const read = readSync(fd, buffer, length, buffer.byteLength - length, from + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** Splits any content into chunks of equal size. */
function* slicesOf(content: Content): Generator<Uint8Array> {
  for (const chunk of chunksOf(content))
    for (let at = 0; at < chunk.byteLength; at += CHUNK_BYTES) yield chunk.subarray(at, at + CHUNK_BYTES);
}
