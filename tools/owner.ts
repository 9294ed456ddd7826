import { existsSync, readlinkSync } from 'node:fs';

/** Process ids of another PID namespace mean nothing here, so the tag has both. */
function namespaceOf(): string {
  const inode = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  return Number(inode).toString(36);
}

/** Marks resources that a killed run would leave behind: `1234-1uls0ck`. */
export function ownerTag(): string {
  return `${process.pid}-${namespaceOf()}`;
}

/** Whether the process that created this name has exited. Unknown for another PID namespace: false. */
export function ownerGone(name: string): boolean {
  const match = /(?:^|-)(?<pid>\d+)-(?<namespace>[0-9a-z]+)(?:-|$)/.exec(name);
  return match?.groups?.['namespace'] === namespaceOf() && !existsSync(`/proc/${match.groups['pid']}`);
}
