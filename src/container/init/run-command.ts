import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../core/log.ts';
import { followAt, mayWriteIn } from '../../fs/access.ts';
import { fileHolds } from '../../fs/content.ts';
import { replace } from '../../fs/replacer.ts';
import { writeError } from '../../fs/write-error.ts';
import { ROOTLESS_RUN_COMMAND } from '../start/index.ts';

const DIRECTORY_MODE = 0o750;
const FILE_MODE = 0o640;

/**
 * Writes config.json's command for a kolla_start without root, if a volume is mounted at /run/kolla (below `root`).
 * Readable by its group, the Pod's fsGroup or the service's own, and by no other user, like the rest of the
 * configuration. Does nothing without such a directory, or without write permission. Resolves with whether a different
 * command was there before.
 * @throws NotPermittedError or UnavailableError for a failed write
 */
export function leaveRunCommand(root: string, command: string, log: Log): boolean {
  const path = join(root, ROOTLESS_RUN_COMMAND);
  const directory = join(path, '..');
  const found = followAt(directory);
  if (found?.isDirectory() !== true) return false;
  if (!mayWriteIn(directory)) {
    log.info(`${directory} is not writable, so the command is not written there for a kolla_start without root`);
    return false;
  }
  try {
    // The root directory of a volume belongs to root and may be accessible to all users. A directory of ours is made
    // private.
    if (found.uid === process.geteuid?.() && (found.mode & 0o777 & ~DIRECTORY_MODE) !== 0)
      chmodSync(directory, (found.mode & 0o7000) | DIRECTORY_MODE);
    const content = Buffer.from(command);
    const isSame = isCommand(path, content);
    if (isSame && (statSync(path).mode & 0o777) === FILE_MODE) return false;
    replace(path, { content, mode: FILE_MODE, uid: -1, gid: -1 });
    log.info(`wrote ${path}`);
    return isSame === false;
  } catch (cause) {
    throw writeError(`cannot write ${path}`, `mount a volume at ${directory} that this user may write`, cause);
  }
}

/** Whether the file has that content; undefined if it is unreadable. */
function isCommand(path: string, content: Buffer): boolean | undefined {
  try {
    return fileHolds(path, content);
  } catch {
    return undefined;
  }
}
