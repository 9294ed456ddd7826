import { KollaError } from '../core/errors.ts';

/** Who a process runs as, and for whom. */
interface Ids {
  readonly uid: number;
  readonly euid: number;
  readonly gid: number;
  readonly egid: number;
}

/**
 * Refuses to run with a set-id bit: whoever may run the file would then be its owner, with words and variables of their own,
 * and Kolla's sudoers are what says who may be root. Installed over another program's file a name could inherit such a mode.
 * @throws KollaError with 1, by which sudo refuses too
 */
export function refuseSetId({ uid, euid, gid, egid }: Ids = ofThisProcess()): void {
  if (uid === euid && gid === egid) return;
  throw new KollaError(1, 'its file has a set-id bit, with which it does not run; take it away: chmod ug-s');
}

function ofThisProcess(): Ids {
  return {
    uid: process.getuid?.() ?? 0,
    euid: process.geteuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    egid: process.getegid?.() ?? 0,
  };
}
