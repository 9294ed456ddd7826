import { readFileSync } from 'node:fs';
import { unlessGone } from './procfs/read.ts';

/** Resident memory of a process in bytes; undefined if it has exited, or is not visible. */
export function residentBytes(pid: number): number | undefined {
  const status = unlessGone(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? '';
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}
