import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * The rotating writer pauses: no line is written between the two steps of copytruncate, where it would be lost to any
 * reader.
 */
export const ROTATIONS = {
  /** logrotate's `create`: the file is renamed, older files move up, and the writer opens a new one. */
  rename: (log: string) => moveUp(log),
  /** Three renames in quick succession: the second and third generations come and go between two polls. */
  renames: (log: string) => moveUp(log),
  /** logrotate's `copytruncate`, Kolla's default: the writer keeps its descriptor. */
  copytruncate: (log: string) => copyTruncate(log),
  /**
   * `copytruncate`, and then the file grows beyond its old size at once, so that the size alone does not reveal the
   * truncation.
   */
  regrow: (log: string) => copyTruncate(log),
  /** The file is removed and re-created, possibly with the same inode. */
  recreate: (log: string) => rmSync(log),
  /** The file is renamed, and the previous one is compressed (`delaycompress`). */
  gzip: (log: string) => compressOld(log),
  /** The settings of Kolla's cron: copytruncate, compress, delaycompress. */
  kolla: (log: string) => {
    compressOld(log, false);
    copyTruncate(log);
  },
} as const satisfies Record<string, (log: string) => void>;

export type Rotation = keyof typeof ROTATIONS;

/** Rotations after which the writer's descriptor refers to a file that is no longer at its path. */
export const MOVES: readonly Rotation[] = ['rename', 'renames', 'recreate', 'gzip'];

/** Kolla keeps six files for weeks; here one lives for seconds and must outlast the restart of a killed shipper. */
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
