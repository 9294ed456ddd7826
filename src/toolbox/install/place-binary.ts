import { lstat, open, rename, rm } from 'node:fs/promises';
import { createReadStream, createWriteStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ignoreAbsent } from '../../fs/absent.ts';
import { removeStale, temporaryFor } from '../../fs/replace-file.ts';

/** Mode for every uid, because the binary runs as the service's user, which is unknown here. */
export const EXECUTABLE = 0o755;
/**
 * Size of a read. Larger reads are not faster, and reading the whole file would count against the container's memory
 * limit.
 */
const CHUNK_BYTES = 1 << 20;

/**
 * Replaces an executable atomically: at any time, also after our exit, it is the old or the new one. An equal one is
 * not touched, so a running service keeps its page cache.
 * @returns whether it was written. Rejects with the system's error, or the signal's reason; the temporary file is then
 * removed
 */
export async function placeBinary(source: string, target: string, signal: AbortSignal): Promise<boolean> {
  await removeStale(dirname(target), basename(target));
  if (await isSame(source, target)) return false;
  try {
    await copy(source, target, signal);
  } catch (error) {
    // A concurrent run considered our temporary file stale.
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (signal.aborted || code !== 'ENOENT' || !['rename', 'open'].includes(syscall ?? '')) throw error;
    await copy(source, target, signal);
  }
  return true;
}

async function copy(source: string, target: string, signal: AbortSignal): Promise<void> {
  const temporary = temporaryFor(target);
  try {
    const from = createReadStream(source, { highWaterMark: CHUNK_BYTES });
    const to = createWriteStream(temporary, { flags: 'wx', mode: 0o600, highWaterMark: CHUNK_BYTES });
    await pipeline(from, to, { signal });
    await using file = await open(temporary, 'r');
    await file.chmod(EXECUTABLE);
    await file.sync();
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Whether the target has the source's content: two builds of one version differ during development. False for a link,
 * which may lead to a path that other containers don't see.
 */
async function isSame(source: string, target: string): Promise<boolean> {
  const found = await lstat(target).catch(ignoreAbsent);
  if (!found?.isFile() || (found.mode & 0o777) !== EXECUTABLE) return false;
  await using ours = await open(source, 'r');
  await using theirs = await open(target, 'r');
  if ((await ours.stat()).size !== found.size) return false;
  const [one, other] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  for (let at = 0; at < found.size;) {
    const [{ bytesRead }, { bytesRead: length }] = [
      await ours.read(one, 0, CHUNK_BYTES, at),
      await theirs.read(other, 0, CHUNK_BYTES, at),
    ];
    if (bytesRead === 0 || bytesRead !== length || one.compare(other, 0, length, 0, length) !== 0) return false;
    at += length;
  }
  return true;
}
