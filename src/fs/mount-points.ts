import { readFileSync } from 'node:fs';
import { unlessAbsent } from './absent.ts';

/** All mount points that this process sees. Empty without /proc. */
export function mountPoints(file = '/proc/self/mountinfo'): ReadonlySet<string> {
  const mountinfo = unlessAbsent(() => readFileSync(file, 'utf8')) ?? '';
  const lines = mountinfo.split('\n').filter((line) => line !== '');
  return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
}

/** Whether the mount of the descriptor is read-only for all processes. False without /proc. */
export function isReadOnlyMount(fd: number): boolean {
  const told = unlessAbsent(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? '';
  const id = /^mnt_id:\s*(\d+)$/m.exec(told)?.[1];
  const mountinfo = unlessAbsent(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '';
  const row = mountinfo.split('\n').find((line) => line.startsWith(`${id} `));
  return row?.split(' ')[5]?.split(',').includes('ro') ?? false;
}

/** The kernel escapes spaces and similar characters as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
