/**
 * The letters of a dead-letter file, which may have a gigabyte: it is read line by line, and what is kept is one filter for each
 * part of it, less than a hundredth of its size.
 *
 *   an ID -> in the filter of no part: no earlier run has written its letter
 *         -> in that of a part: the part is read again
 */
import { constants } from 'node:fs';
import { codeOf } from '../../core/errors.ts';
import { openOwn } from '../state/held-directory.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Passes the lines of a file on, each with its offset; none if the file is missing. Rejects with the system's error.
 * @param take must not keep the bytes
 */
export async function eachLine(
  file: string,
  take: (line: Buffer, offset: number) => void,
  { from: start, to: end }: Range = { from: 0, to: Infinity },
): Promise<void> {
  try {
    await using handle = await openOwn(file, constants.O_RDONLY);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let begun = NOTHING;
    let offset = start;
    for (let position = start; position < end;) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK_BYTES, end - position), position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const bytes = chunk.subarray(0, bytesRead);
      let from = 0;
      for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
        const rest = bytes.subarray(from, to);
        const line = begun.length === 0 ? rest : Buffer.concat([begun, rest]);
        take(line, offset);
        offset += line.length + 1;
        begun = NOTHING;
        from = to + 1;
      }
      begun = Buffer.concat([begun, bytes.subarray(from)]);
    }
    if (begun.length > 0) take(begun, offset);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The key before the ID. In a string of JSON its quotes would be escaped, and the document comes later. */
const ID = ',"id":"';

/** The ID in a letter's line; undefined without one. To parse all letters would take seconds. */
function idIn(line: Buffer): string | undefined {
  const text = line.toString('latin1');
  const key = text.indexOf(ID);
  return key === -1 ? undefined : text.slice(key + ID.length, text.indexOf('"', key + ID.length));
}

/** Whether a line is a whole letter: a crash may leave the beginning of one, whose document is written again. */
function isWhole(line: Buffer): boolean {
  try {
    JSON.parse(line.toString());
    return true;
  } catch {
    return false;
  }
}

const PART_BYTES = 4 * 1024 * 1024;
/** With letters of the usual length, an ID that is not in a part is reported once in hundreds of thousands. */
const FILTER_BYTES = 32 * 1024;
const PLACES = 8;

/** A range of lines, and a Bloom filter of their IDs. */
export interface Part extends Range {
  readonly filter: Uint8Array;
}

/** The parts of a file as it is now. */
export async function partsOf(file: string): Promise<readonly Part[]> {
  const parts: { from: number; to: number; readonly filter: Uint8Array }[] = [];
  await eachLine(file, (line, offset) => {
    let part = parts.at(-1);
    if (part === undefined || offset - part.from >= PART_BYTES)
      parts.push((part = { from: offset, to: offset, filter: new Uint8Array(FILTER_BYTES) }));
    part.to = offset + line.length + 1;
    const id = idIn(line);
    if (id !== undefined) for (const place of placesOf(id)) part.filter[place >> 3]! |= 1 << (place & 7);
  });
  return parts;
}

/** Those of the IDs whose letters are in these parts of a file. */
export async function writtenIn(file: string, parts: readonly Part[], ids: readonly string[]): Promise<string[]> {
  const asked = ids.map((id) => ({ id, places: placesOf(id) }));
  const written: string[] = [];
  for (const part of parts) {
    const { filter } = part;
    const likely = asked.filter(({ places }) => places.every((at) => (filter[at >> 3]! & (1 << (at & 7))) !== 0));
    if (likely.length === 0) continue;
    const wanted = new Set(likely.map(({ id }) => id));
    const take = (line: Buffer) => {
      const id = idIn(line);
      if (id !== undefined && wanted.has(id) && isWhole(line)) written.push(id);
    };
    await eachLine(file, take, part);
  }
  return written;
}

/** The bits of an ID in a filter. */
function placesOf(id: string): number[] {
  let [first, step] = [0x811c_9dc5, 0x9747_b28c];
  for (let at = 0; at < id.length; at++) {
    first = Math.imul(first ^ id.charCodeAt(at), 0x0100_0193);
    step = Math.imul((step << 13) | (step >>> 19), 5) ^ id.charCodeAt(at);
  }
  const places = [];
  for (let nth = 0; nth < PLACES; nth++) {
    first = Math.imul(first ^ (first >>> 15), 0x2c1b_3c6d) + step;
    places.push((first >>> 0) % (FILTER_BYTES * 8));
  }
  return places;
}
