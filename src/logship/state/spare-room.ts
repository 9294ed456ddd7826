import { constants } from 'node:fs';
import { link, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { syncDirectory, temporaryFor } from '../../fs/replace-file.ts';
import { replaceOwn } from './directory.ts';
import { openOwn } from './held-directory.ts';

const STEP_BYTES = 64 * 1024;
/** Factor for growth: offsets get more digits, and files are added. */
const GROWTH = 1.25;
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Replaces a checkpoint atomically even on a full volume: disk space can be reclaimed only after a new checkpoint is
 * written, which itself needs space. So two spare files of at least the checkpoint's size are kept next to it and
 * overwritten in place: no space is freed in between, which a service could take. Two, because the previous checkpoint
 * is too small to hold the next. Rejects with the system's error.
 * @param room the size up to which the spare files are known to exist, which spares a look at them each time
 */
export async function replaceKeepingRoom(file: string, text: string, room = { bytes: 0 }): Promise<void> {
  const spares = [1, 2].map((n) => `${file}.spare-${n}`);
  try {
    await replaceOwn(file, text);
  } catch (error) {
    room.bytes = 0;
    if (!FULL.has(codeOf(error) ?? '') || !(await overwriteOne(spares, file, text))) throw error;
    return;
  }
  const bytes = Math.ceil((Buffer.byteLength(text) * GROWTH) / STEP_BYTES) * STEP_BYTES;
  if (bytes <= room.bytes) return;
  const are = await Promise.all(spares.map((spare) => keep(spare, bytes)));
  room.bytes = are.includes(false) ? 0 : bytes;
}

/** Enlarges a spare file. If there is no space now, which returns false, the next checkpoint tries again. */
async function keep(spare: string, bytes: number): Promise<boolean> {
  const size = await stat(spare).then(
    (found) => found.size,
    () => 0,
  );
  return size >= bytes || (await succeeds(append(spare, Buffer.alloc(bytes - size, ' '))));
}

async function append(file: string, bytes: Buffer): Promise<void> {
  await using handle = await openOwn(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  await handle.writeFile(bytes);
}

async function overwriteOne(spares: readonly string[], file: string, text: string): Promise<boolean> {
  for (const spare of spares) {
    if (await succeeds(overwrite(spare, file, text))) return true;
  }
  return false;
}

/** Renames the spare file to the checkpoint. Rejects with the system's error. */
async function overwrite(spare: string, file: string, text: string): Promise<void> {
  const handle = await openOwn(spare, constants.O_RDWR);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.from(text);
    // Padded with spaces, which JSON allows, so that a later checkpoint fits.
    await handle.writeFile(Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), ' ')]));
    await handle.sync();
    await exchange(spare, file, size);
  } finally {
    await handle.close();
  }
  await syncDirectory(dirname(file));
}

/** The previous checkpoint becomes a spare file again. */
async function exchange(spare: string, file: string, size: number): Promise<void> {
  const before = temporaryFor(file);
  const isLarge = (await stat(file)).size >= size;
  const isKept = isLarge && (await succeeds(link(file, before)));
  await rename(spare, file);
  if (isKept) await rename(before, spare);
}

async function succeeds(act: Promise<unknown>): Promise<boolean> {
  return await act.then(
    () => true,
    () => false,
  );
}
