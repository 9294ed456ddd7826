import { readdir, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename } from 'node:path';

/** One process, as /proc shows it to this user in this PID namespace. */
export interface ProcessInfo {
  readonly pid: number;
  /** 0 where the parent is in another namespace. */
  readonly parent: number;
  /** The kernel's name for it: at most 15 bytes. */
  readonly name: string;
  readonly words: readonly string[];
  readonly uid: number;
  /** Masks by signal number: what it handles itself, and what it ignores. */
  readonly caught: bigint;
  readonly ignored: bigint;
}

/** Every process that can be seen, but for zombies and the kernel's own; those that end meanwhile are left out. */
export async function listProcesses(proc = '/proc'): Promise<ProcessInfo[]> {
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => readProcess(proc, pid)));
  return found.filter((one) => one !== undefined).toSorted((a, b) => a.pid - b.pid);
}

async function readProcess(proc: string, pid: number): Promise<ProcessInfo | undefined> {
  try {
    const [status, command] = await Promise.all(
      ['status', 'cmdline'].map((file) => readFile(`${proc}/${pid}/${file}`, 'utf8')),
    );
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status ?? '')?.[1] ?? '';
    const words = (command ?? '').split('\0').filter((_, i, all) => i < all.length - 1);
    if (field('State') === 'Z' || words.length === 0) return undefined;
    const mask = (name: string) => BigInt(`0x${field(name) || '0'}`);
    return {
      pid,
      parent: Number(field('PPid')),
      name: /^Name:\t(.*)$/m.exec(status ?? '')?.[1] ?? '',
      words,
      uid: Number(field('Uid')),
      caught: mask('SigCgt'),
      ignored: mask('SigIgn'),
    };
  } catch (error) {
    // It ended, or hidepid hides it from us.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Whether a person means this process by that name: the kernel's, the program's file, or the script's that an interpreter
 * runs (`python3 /usr/bin/glance-api` is glance-api).
 */
export function isNamed({ name, words }: ProcessInfo, wanted: string): boolean {
  const files = words.slice(0, 2).map((word) => basename(word));
  return name === Buffer.from(wanted).subarray(0, 15).toString() || files[0] === wanted || files[1] === wanted;
}

export function inMask(mask: bigint, signal: NodeJS.Signals): boolean {
  return ((mask >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}
