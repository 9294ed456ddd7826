/**
 * Calls on a name in a directory that is held: the kernel's `*at` family, which no link that is put on the way changes. Node has
 * none of them, so here a name is reached by /proc/self/fd. kolla-core has src/engine/at.ts in the place of this file.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs';

/** A descriptor, and its path as a person knows it, for messages. */
export interface Held {
  readonly fd: number;
  readonly path: string;
}

/** Names a place without opening it, so that a directory needs only be searchable. Node has no name for the flag. */
export const O_PATH = 0o10_000_000;

/** A descriptor. */
export function openAt(held: Held, name: string, flags: number, mode = 0): number {
  return act(held, name, (at) => openSync(at, flags, mode));
}

export function listAt(held: Held): string[] {
  return act(held, '.', (at) => readdirSync(at));
}

/** Undefined for what isn't there. */
export function lstatAt(held: Held, name: string): Stats | undefined {
  return act(held, name, (at) => lstatSync(at, { throwIfNoEntry: false }));
}

export function readlinkAt(held: Held, name: string): string {
  return act(held, name, (at) => readlinkSync(at));
}

export function mkdirAt(held: Held, name: string, mode: number): void {
  act(held, name, (at) => mkdirSync(at, { mode }));
}

export function symlinkAt(held: Held, name: string, target: string): void {
  act(held, name, (at) => symlinkSync(target, at));
}

export function renameAt(held: Held, from: string, to: string): void {
  act(held, to, (at) => renameSync(placeOf(held, from), at));
}

/** Of a link, its own. An id of -1 stays. */
export function chownAt(held: Held, name: string, uid: number, gid: number): void {
  act(held, name, (at) => lchownSync(at, uid, gid));
}

/** Of a file or directory; chmod alone would follow a link. */
export function chmodAt(held: Held, name: string, mode: number): void {
  const fd = openAt(held, name, O_PATH | constants.O_NOFOLLOW);
  try {
    chmodHeld({ fd, path: `${held.path}/${name}` }, mode);
  } finally {
    closeSync(fd);
  }
}

/** Of what is held itself. An id of -1 stays. */
export function chownHeld({ fd, path }: Held, uid: number, gid: number): void {
  actHeld(fd, path, (at) => chownSync(at, uid, gid));
}

/** Of what is held itself, but not of a link. */
export function chmodHeld({ fd, path }: Held, mode: number): void {
  actHeld(fd, path, (at) => chmodSync(at, mode));
}

export function unlinkAt(held: Held, name: string): void {
  act(held, name, (at) => unlinkSync(at));
}

export function rmdirAt(held: Held, name: string): void {
  act(held, name, (at) => rmdirSync(at));
}

function placeOf({ fd }: Held, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

function act<T>(held: Held, name: string, call: (at: string) => T): T {
  try {
    return call(placeOf(held, name));
  } catch (error) {
    throw withPath(error, `/proc/self/fd/${held.fd}`, held.path === '/' ? '' : held.path);
  }
}

function actHeld(fd: number, path: string, call: (at: string) => void): void {
  const at = `/proc/self/fd/${fd}`;
  try {
    call(at);
  } catch (error) {
    throw withPath(error, at, path);
  }
}

/** The system's error names the way that we took, which tells a person nothing. */
function withPath(error: unknown, taken: string, known: string): unknown {
  if (error instanceof Error)
    error.message = error.message.replaceAll(`'${taken}/.'`, `'${known}'`).replaceAll(`'${taken}`, `'${known}`);
  return error;
}
