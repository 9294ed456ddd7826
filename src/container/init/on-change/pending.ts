import { constants, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { may, mayWriteIn } from '../../../fs/access.ts';
import { replaceFile } from '../../../fs/replace-file.ts';

/** Lies there from before the files of a version are changed until its actions are done. */
const PENDING = 'run/kolla/watch-pending';

/** Remembers across restarts that a process has still to be notified of a change. */
export interface Pending {
  /** Whether a watch before us ended in between. */
  wasLeft(): Promise<boolean>;
  /** Files are about to be changed. */
  begin(): Promise<void>;
  /** They are changed, and it is about to be told. */
  applied(): void;
  /** It was told; forgotten unless the next change has begun meanwhile. */
  notified(): Promise<void>;
}

/** Where no volume lies at /run/kolla (below `root`), or a read-only one, nothing is remembered. */
export function pendingIn(root: string, log: Log): Pending {
  const path = join(root, PENDING);
  let [begun, applied] = [0, 0];
  const attempt = async (work: () => Promise<void>) => {
    if (!(await mayWriteIn(dirname(path)))) return;
    // The change itself is worth more than the memory of it.
    await work().catch((error: unknown) =>
      log.warn(`cannot note at ${path} the pending notification: ${messageOf(error)}`),
    );
  };
  return {
    wasLeft: () => may(path, constants.F_OK),
    begin: async () => {
      begun++;
      await attempt(() => replaceFile(path, { content: Buffer.alloc(0), mode: 0o640, uid: -1, gid: -1 }));
    },
    applied: () => void (applied = begun),
    notified: async () => {
      if (applied === begun) await attempt(() => rm(path, { force: true }));
    },
  };
}
