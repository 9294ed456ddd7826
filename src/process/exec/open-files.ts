import { readFileSync } from 'node:fs';

/** RLIMIT_NOFILE: how many files a process may have open, and how far it may raise that itself. */
interface OpenFiles {
  readonly soft: number;
  readonly hard: number;
}

/**
 * The soft limit of open files that our caller had, where it differs from ours. Node raises its own to the hard limit before
 * the first line of ours runs, and the kernel keeps no older value; but a limit is inherited, so the parent's is what we
 * were started with, unless it was changed in between, together with the hard limit as well (`ulimit -n`,
 * `docker run --ulimit`). Undefined where it is unknown: as PID 1 there is no parent to ask.
 * @param readLimits the text of /proc/PID/limits
 */
export function callersOpenFiles(
  parent: number = process.ppid,
  readLimits: (pid: number | 'self') => string = (pid) => readFileSync(`/proc/${pid}/limits`, 'utf8'),
): number | undefined {
  if (parent === 0) return undefined;
  const own = parse(readLimits, 'self');
  const theirs = parse(readLimits, parent);
  if (own === undefined || theirs === undefined) return undefined;
  return own.hard === theirs.hard && theirs.soft < own.soft ? theirs.soft : undefined;
}

/** Undefined without a /proc, or when the parent has just gone. */
function parse(readLimits: (pid: number | 'self') => string, pid: number | 'self'): OpenFiles | undefined {
  let text: string;
  try {
    text = readLimits(pid);
  } catch {
    return undefined;
  }
  const [, soft, hard] = /^Max open files +(\d+) +(\d+) /m.exec(text) ?? [];
  return soft === undefined ? undefined : { soft: Number(soft), hard: Number(hard) };
}
