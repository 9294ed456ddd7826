import { readFileSync } from 'node:fs';

/** RLIMIT_NOFILE: the soft and the hard limit of open files. */
interface OpenFiles {
  readonly soft: number;
  readonly hard: number;
}

/**
 * The caller's soft limit of open files, if it differs from ours. Node raises its own to the hard limit before our
 * first line runs, and the kernel keeps no old value; but limits are inherited, so the parent's is the one we were
 * started with, unless it was changed in between together with the hard limit (`ulimit -n`, `docker run --ulimit`).
 * Undefined if it is unknown, since PID 1 has no parent.
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

/** Our own limits. Undefined without /proc. */
export function openFiles(): OpenFiles | undefined {
  return parse((pid) => readFileSync(`/proc/${pid}/limits`, 'utf8'), 'self');
}

/** Undefined without /proc, or if the parent has just exited. */
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
