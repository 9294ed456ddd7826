import { readFileSync } from 'node:fs';
import { codeOf } from '../core/errors.ts';

/** Resident memory of a process in bytes; undefined if it has exited, or is not visible. */
export function residentBytes(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
