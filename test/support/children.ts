import { readFileSync, readdirSync } from 'node:fs';

/** A process that another one has started. */
export interface ChildProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** Those that a process has started itself and that still are its children. */
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
