import type { FileHandle } from 'node:fs/promises';

/** An entry of a tar archive created here rather than by `tar`. */
export interface TarEntry {
  /** The path without a leading slash; a directory's path ends with one. At most 100 bytes. */
  readonly name: string;
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
  /** A file's content. */
  readonly content?: string | Uint8Array;
  /** If set, the entry is a symbolic link with this target. At most 100 bytes. */
  readonly link?: string;
  /** If set, the entry is a hard link to this earlier entry. At most 100 bytes. */
  readonly sameAs?: string;
}

/** Block size of an archive. */
export const BLOCK = 512;
const NAME_BYTES = 100;

/** End of an archive. */
const END_OF_TAR: Buffer = Buffer.alloc(2 * BLOCK);

/** The header of an entry with `size` bytes of content; deterministic (mtime 0). */
export function tarHeader(entry: TarEntry, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const text = (value: string, offset: number, room: number) => {
    if (Buffer.byteLength(value) > room) throw new RangeError(`tar: '${value}' is longer than ${room} bytes`);
    header.write(value, offset);
  };
  const octal = (value: number, offset: number, room: number) =>
    text(value.toString(8).padStart(room - 1, '0'), offset, room - 1);
  text(entry.name, 0, NAME_BYTES);
  octal(entry.mode, 100, 8);
  octal(entry.uid ?? 0, 108, 8);
  octal(entry.gid ?? 0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  text(typeFlag(entry), 156, 1);
  text(entry.link ?? entry.sameAs ?? '', 157, NAME_BYTES);
  text('ustar\x0000', 257, 8);
  // The checksum is computed with spaces in its own field.
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  text(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return header;
}

/** Zeros that pad an entry's content to a full block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** A complete archive of a few small entries, as chunks. A directory must precede its entries. */
export function* tarOf(entries: readonly TarEntry[]): Generator<Uint8Array> {
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    yield tarHeader(entry, content.length);
    yield content;
    yield tarPadding(content.length);
  }
  yield END_OF_TAR;
}

/** An entry of an archive that `tarOf` or `imageTar` wrote, without its content. */
export interface ArchivedEntry {
  readonly name: string;
  readonly mode: number;
  /** The size of the content, which starts at `position` of the file. */
  readonly size: number;
  readonly position: number;
  /** The type flag: `0` a file, `1` a hard link, `2` a symbolic link, `5` a directory. */
  readonly type: string;
  /** The target of a link, else empty. */
  readonly link: string;
}

/** The entries of an archive in a file, which may be one that another archive contains. @param start its position */
export async function* entriesOf(file: FileHandle, start = 0): AsyncGenerator<ArchivedEntry> {
  const header = Buffer.alloc(BLOCK);
  const text = (offset: number, room: number) => header.toString('utf8', offset, offset + room).replace(/\0.*$/s, '');
  for (let at = start; (await file.read(header, 0, BLOCK, at)).bytesRead === BLOCK && header[0] !== 0;) {
    const size = Number.parseInt(text(124, 12), 8);
    yield {
      name: text(0, NAME_BYTES),
      mode: Number.parseInt(text(100, 8), 8),
      size,
      position: at + BLOCK,
      type: text(156, 1),
      link: text(157, NAME_BYTES),
    };
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function typeFlag(entry: TarEntry): string {
  if (entry.sameAs !== undefined) return '1';
  if (entry.link !== undefined) return '2';
  return entry.name.endsWith('/') ? '5' : '0';
}
