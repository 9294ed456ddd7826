import { readFileSync, writeFileSync } from 'node:fs';

/** `CmnD`, ICU's archive of data files, with the two bytes of its magic and its version of the format before it. */
const SIGNATURE = Buffer.from('436d6e4401000000', 'hex');
/** Where the signature stands in the header: after its size, its magic and the description of the platform. */
const SIGNATURE_AT = 12;
const ALIGNMENT = 16;

/** Trees with a file a locale. At the top ('') lie locales as well, beside files that everybody needs. */
const TREES = new Set(['', 'brkitr', 'coll', 'curr', 'lang', 'rbnf', 'region', 'unit', 'zone']);
const LOCALE = /^(?!res_index)[a-z]{2,3}(_[A-Za-z0-9_]+)?\.res$/;
const ENGLISH = /^en(_[A-Za-z0-9_]+)?\.res$/;
/** What no script can reach, and the dictionaries by which Chinese, Thai and Khmer are cut into words. */
const UNUSED = /\/(translit\/.*|unames\.icu|brkitr\/.*\.dict)$/;

interface Item {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Takes the words of all languages but English out of the binary's ICU data, in place: a fifth of what Node weighs as
 * a layer. The file stays as long as it is, and what is left over is zeros, which compress to nothing.
 * @returns the bytes that were freed
 * @throws Error when there is not exactly one archive of the known format
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

/** All files, by offsets from the table of contents. The last one's end is not told, and it is not needed. */
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

/** `icudt78l/lang/de.res`, but not `icudt78l/lang/en.res`, `.../root.res` or `.../zoneinfo64.res`. */
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
    // Offsets count from the table, the alignment from the archive's beginning.
    const gap = (ALIGNMENT - ((header.length + length) % ALIGNMENT)) % ALIGNMENT;
    table.writeUInt32LE(length + gap, 8 + 8 * i);
    parts.push(Buffer.alloc(gap), data.subarray(start, end));
    length += gap + end - start;
  }
  return Buffer.concat([header, table, ...parts]);
}
