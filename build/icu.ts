import { readFileSync, writeFileSync } from 'node:fs';

/** `CmnD`, ICU's archive of data files, with its format version, preceded by two magic bytes. */
const SIGNATURE = Buffer.from('436d6e4401000000', 'hex');
/** Offset of the signature in the header: after its size, its magic and the platform description. */
const SIGNATURE_AT = 12;
const ALIGNMENT = 16;

/** Trees with a file per locale. The top level ('') has locales too, next to shared files. */
const TREES = new Set(['', 'brkitr', 'coll', 'curr', 'lang', 'rbnf', 'region', 'unit', 'zone']);
const LOCALE = /^(?!res_index)[a-z]{2,3}(_[A-Za-z0-9_]+)?\.res$/;
const ENGLISH = /^en(_[A-Za-z0-9_]+)?\.res$/;
/** Data that no script can reach, and the word-break dictionaries of Chinese, Thai and Khmer. */
const UNUSED = /\/(translit\/.*|unames\.icu|brkitr\/.*\.dict)$/;

interface Item {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Removes locale data of all languages but English from the binary's ICU data, in place: a fifth of Node's size as a
 * layer. The file's length is unchanged; the freed space is zeros, which compress to nothing.
 * @returns the number of bytes freed
 * @throws Error unless there is exactly one archive
 */
export function trimIcu(file: string): number {
  const bytes = readFileSync(file);
  const at = archiveIn(bytes);
  const archive = bytes.subarray(at);
  const toc = archive.readUInt16LE(0);
  const items = itemsIn(archive, toc);
  const kept = items.filter(({ name }) => !isForeign(name));
  const packed = pack(archive.subarray(0, toc), archive.subarray(toc), kept);
  const end = toc + (items.at(-1)?.start ?? 0);
  if (packed.length > end) throw new Error(`ICU's data in ${file} can't be trimmed: it would grow`);
  archive.fill(0, 0, end);
  packed.copy(archive);
  writeFileSync(file, bytes);
  return end - packed.length;
}

function archiveIn(bytes: Buffer): number {
  const found = bytes.indexOf(SIGNATURE);
  if (found === -1 || bytes.indexOf(SIGNATURE, found + 1) !== -1)
    throw new Error('not exactly one archive of ICU data in this node: its format has changed');
  return found - SIGNATURE_AT;
}

/** All files, by offsets from the table of contents. The end of the last one is not recorded, and not needed. */
function itemsIn(archive: Buffer, toc: number): Item[] {
  const table = archive.subarray(toc);
  const count = table.readUInt32LE(0);
  const starts = Array.from({ length: count }, (_, i) => table.readUInt32LE(8 + 8 * i));
  return starts.map((start, i) => {
    const nameAt = table.readUInt32LE(4 + 8 * i);
    const name = table.toString('latin1', nameAt, table.indexOf(0, nameAt));
    return { name, start, end: starts[i + 1] ?? start };
  });
}

/** Whether a file is removed: `icudt78l/lang/de.res`, but not `.../en.res`, `.../root.res` or `.../zoneinfo64.res`. */
function isForeign(name: string): boolean {
  const [, ...path] = name.split('/');
  const file = path.pop() ?? '';
  const isLocale = TREES.has(path.join('/')) && LOCALE.test(file);
  return UNUSED.test(name) || (isLocale && !ENGLISH.test(file));
}

function pack(header: Buffer, data: Buffer, items: readonly Item[]): Buffer {
  const names = items.map(({ name }) => Buffer.from(`${name}\0`, 'latin1'));
  const tableLength = 4 + 8 * items.length;
  const table = Buffer.alloc(tableLength);
  table.writeUInt32LE(items.length, 0);
  const parts: Buffer[] = [...names];
  let length = tableLength;
  for (const [i, name] of names.entries()) {
    table.writeUInt32LE(length, 4 + 8 * i);
    length += name.length;
  }
  for (const [i, { start, end }] of items.entries()) {
    // Offsets are relative to the table, alignment to the archive's start.
    const gap = (ALIGNMENT - ((header.length + length) % ALIGNMENT)) % ALIGNMENT;
    table.writeUInt32LE(length + gap, 8 + 8 * i);
    parts.push(Buffer.alloc(gap), data.subarray(start, end));
    length += gap + end - start;
  }
  return Buffer.concat([header, table, ...parts]);
}
