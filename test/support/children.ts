import { readFileSync, readdirSync } from 'node:fs';

/** A child of another process. */
export interface ChildProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** The direct children of a process that still exist. */
export function childrenOf(parent: number): ChildProcess[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const isChild = readFileSync(`/proc/${entry}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`);
      return isChild ? [{ pid: Number(entry), commandLine: readFileSync(`/proc/${entry}/cmdline`, 'utf8') }] : [];
    } catch {
      return []; // gone meanwhile
    }
  });
}
