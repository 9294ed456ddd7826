import { KollaError } from '../core/errors.ts';

/** Real and effective IDs of a process. */
interface Ids {
  readonly uid: number;
  readonly euid: number;
  readonly gid: number;
  readonly egid: number;
}

/**
 * Refuses to run with a set-id bit: any caller would run as the file's owner, with arbitrary arguments and environment,
 * while Kolla's sudoers controls who may be root. A program installed over another program's file can inherit that
 * file's mode.
 * @throws KollaError with exit code 1, as sudo does
 */
export function refuseSetId({ uid, euid, gid, egid }: Ids = ofThisProcess()): void {
  if (uid === euid && gid === egid) return;
  throw new KollaError(1, 'its file has a set-id bit, so it does not run; remove it: chmod ug-s');
}

function ofThisProcess(): Ids {
  return {
    uid: process.getuid?.() ?? 0,
    euid: process.geteuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    egid: process.getegid?.() ?? 0,
  };
}
