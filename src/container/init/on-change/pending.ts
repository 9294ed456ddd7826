import { unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { unlessAbsent } from '../../../fs/absent.ts';
import { isThere, mayWriteIn } from '../../../fs/access.ts';
import { replace } from '../../../fs/replacer.ts';

/** This file exists from before a version's files change until its actions are done. */
const PENDING = 'run/kolla/watch-pending';

/** Remembers across restarts that a notification is pending. */
export interface Pending {
  /** Whether a previous watch exited before it had sent its notification. */
  wasLeft(): boolean;
  /** Called when files are about to change. */
  begin(): void;
  /** Called when files have changed; notifications follow. */
  applied(): void;
  /** Called when the service was notified. The marker is removed unless the next change has started meanwhile. */
  notified(): void;
}

/** If there is no writable volume at /run/kolla (below `root`), nothing is remembered. */
export function pendingIn(root: string, log: Log): Pending {
  const path = join(root, PENDING);
  let [begun, applied] = [0, 0];
  const attempt = (work: () => void) => {
    if (!mayWriteIn(dirname(path))) return;
    // A failure to write the marker must not prevent the change.
    try {
      work();
    } catch (error) {
      log.warn(`cannot record the pending notification in ${path}: ${reasonOf(error)}`);
    }
  };
  return {
    wasLeft: () => isThere(path),
    begin: () => {
      begun++;
      attempt(() => replace(path, { content: Buffer.alloc(0), mode: 0o640, uid: -1, gid: -1 }));
    },
    applied: () => void (applied = begun),
    notified: () => {
      if (applied === begun) attempt(() => unlessAbsent(() => unlinkSync(path)));
    },
  };
}
