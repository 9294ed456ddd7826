/**
 * Calls on a name in an open directory: the kernel's `*at` family, unaffected by links inserted into the path. Node has
 * none of them, so names are accessed through /proc/self/fd. kolla-core has src/engine/at.ts instead of this file.
 */
import {
  chmodSync,
  chownSync,
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

/** A descriptor, and the path shown to users. */
export interface OpenPath {
  readonly fd: number;
  readonly path: string;
}

/**
 * O_PATH: opens a path without read access, so that a directory need only be searchable. Node has no name for the flag.
 */
export const O_PATH = 0o10_000_000;

/** Opens the path and returns its descriptor. */
export function openAt(held: OpenPath, name: string, flags: number, mode = 0): number {
  return act(held, name, (at) => openSync(at, flags, mode));
}

export function listAt(held: OpenPath): string[] {
  return act(held, '.', (at) => readdirSync(at));
}

/** Undefined if the object is missing. */
export function lstatAt(held: OpenPath, name: string): Stats | undefined {
  return act(held, name, (at) => lstatSync(at, { throwIfNoEntry: false }));
}

export function readlinkAt(held: OpenPath, name: string): string {
  return act(held, name, (at) => readlinkSync(at));
}

export function mkdirAt(held: OpenPath, name: string, mode: number): void {
  act(held, name, (at) => mkdirSync(at, { mode }));
}

export function symlinkAt(held: OpenPath, name: string, target: string): void {
  act(held, name, (at) => symlinkSync(target, at));
}

export function renameAt(held: OpenPath, from: string, to: string): void {
  act(held, to, (at) => renameSync(placeOf(held, from), at));
}

/** Acts on the open object itself. An ID of -1 is kept. */
export function chownHeld({ fd, path }: OpenPath, uid: number, gid: number): void {
  actHeld(fd, path, (at) => chownSync(at, uid, gid));
}

/** Acts on the open object itself, which must not be a link. */
export function chmodHeld({ fd, path }: OpenPath, mode: number): void {
  actHeld(fd, path, (at) => chmodSync(at, mode));
}

export function unlinkAt(held: OpenPath, name: string): void {
  act(held, name, (at) => unlinkSync(at));
}

export function rmdirAt(held: OpenPath, name: string): void {
  act(held, name, (at) => rmdirSync(at));
}

function placeOf({ fd }: OpenPath, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

function act<T>(held: OpenPath, name: string, call: (at: string) => T): T {
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

/** The system's error contains a path in /proc, which means nothing to a user. */
function withPath(error: unknown, taken: string, known: string): unknown {
  if (error instanceof Error)
    error.message = error.message.replaceAll(`'${taken}/.'`, `'${known}'`).replaceAll(`'${taken}`, `'${known}`);
  return error;
}
