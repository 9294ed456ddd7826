import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * Who rotates holds its breath: between the two steps of a copytruncate no line is written, which else would be lost
 * before anybody could read it.
 */
export const ROTATIONS = {
  /** logrotate's `create`: the file is renamed, older ones move up, the writer opens a new one. */
  rename: (log: string) => moveUp(log),
  /** Three renames at once, few lines apart: between two looks the second and third generation came and went. */
  renames: (log: string) => moveUp(log),
  /** logrotate's `copytruncate`, Kolla's default: the writer keeps its descriptor. */
  copytruncate: (log: string) => copyTruncate(log),
  /** The same, and at once longer than before: the size alone tells nothing. */
  regrow: (log: string) => copyTruncate(log),
  /** Removed, and a new one in its place, which may get the same inode. */
  recreate: (log: string) => rmSync(log),
  /** Renamed; the one before is compressed (`delaycompress`). */
  gzip: (log: string) => compressOld(log),
  /** Kolla's cron as it is: copytruncate, compress, delaycompress. */
  kolla: (log: string) => {
    compressOld(log, false);
    copyTruncate(log);
  },
} as const satisfies Record<string, (log: string) => void>;

export type Rotation = keyof typeof ROTATIONS;

/** Those that leave the writer's descriptor with a file that is not at its path any more. */
export const MOVES: readonly Rotation[] = ['rename', 'renames', 'recreate', 'gzip'];

/** Kolla keeps six, for weeks; here one lives seconds, and none may go before a shipper that was killed is back. */
const KEPT = 99;

function moveUp(log: string): void {
  for (let nth = KEPT; nth >= 1; nth--)
    if (existsSync(`${log}.${nth}`)) renameSync(`${log}.${nth}`, `${log}.${nth + 1}`);
  renameSync(log, `${log}.1`);
}

function copyTruncate(log: string): void {
  for (let nth = KEPT; nth >= 1; nth--)
    if (existsSync(`${log}.${nth}`)) renameSync(`${log}.${nth}`, `${log}.${nth + 1}`);
  copyFileSync(log, `${log}.1`);
  truncateSync(log);
}

function compressOld(log: string, moves = true): void {
  for (let nth = KEPT; nth >= 2; nth--)
    if (existsSync(`${log}.${nth}.gz`)) renameSync(`${log}.${nth}.gz`, `${log}.${nth + 1}.gz`);
  if (existsSync(`${log}.1`)) {
    writeFileSync(`${log}.2.gz`, gzipSync(readFileSync(`${log}.1`), { level: 1 }));
    rmSync(`${log}.1`);
  }
  if (moves) renameSync(log, `${log}.1`);
}
