import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { start, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import type { ShipperSite } from './site.ts';
import { stat } from 'node:fs/promises';

/** Enough for the dead letters of a soak test. */
const SIZE_KB = 2048;

/** Mount namespace in which the state directory is a small disk. See canHaveSmallDisk. */
export async function onSmallDisk(state: string): Promise<ShipperSite> {
  const script = `mkdir "$0" && mount -t tmpfs -o size=${SIZE_KB}k,mode=700 none "$0" && touch "$0/up" && exec sleep infinity`;
  const view = ['--mount', '--propagation', 'private', 'sh', '-c', script, state];
  const holder = await start(...tied('unshare', view));
  const seen = `/proc/${holder.pid}/root${state}`;
  await until('a small disk', async () => await stat(join(seen, 'up')).catch(() => undefined));
  return {
    launcher: ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, '--'],
    state: seen,
    [Symbol.asyncDispose]: async () => void (await holder.stop(0)),
  };
}

/** Fills the disk of the state directory. */
export function fill(state: string): void {
  const fd = openSync(join(state, 'filler'), 'a');
  try {
    for (const size of [4096, 1]) writeUntilFull(fd, Buffer.alloc(size));
  } finally {
    closeSync(fd);
  }
}

/** Removes the space that is reserved for checkpoints on a full disk. */
export function takeSpares(state: string): void {
  for (const name of readdirSync(state)) if (/\.spare-\d$/.test(name)) rmSync(join(state, name));
}

export function giveRoom(state: string): void {
  rmSync(join(state, 'filler'));
}

function writeUntilFull(fd: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
