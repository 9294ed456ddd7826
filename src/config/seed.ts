import { accessSync, constants, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { followAt, lookAt } from '../fs/access.ts';
import { readContent } from '../fs/content.ts';
import type { Replacer } from '../fs/replacer.ts';
import { Directory } from '../fs/tree.ts';
import { giveAccess, type Access } from './tree/access.ts';
import { lookAtImages } from './image.ts';
import type { Mount } from './mounts.ts';
import { modeFor, type Identity } from './owner.ts';
import { checkPlace, under } from './place.ts';

/**
 * An object of the image that a mount hides, to be copied into the volume. Its content is read when the plan is
 * applied.
 */
export interface SeedStep {
  readonly kind: 'directory' | 'file' | 'link';
  readonly path: string;
  /** Undefined for an object that is created empty as a mount point. */
  readonly source: string | undefined;
  readonly access: Access;
}

export interface Seeds {
  readonly steps: readonly SeedStep[];
  /** Paths that this user may not read, with the reason. */
  readonly unreadable: readonly string[];
}

export interface SeedOptions {
  readonly root: string;
  readonly image: string;
  readonly me: Identity;
  /** Paths below the root that config.json itself installs or removes. */
  readonly isTaken: (path: string) => boolean;
}

/**
 * The image content to copy so that each mount has what the image has there. Only missing objects: a second run, or one
 * after the service has changed its files, copies nothing. Writes nothing. Throws RangeError for content that cannot be
 * copied there.
 */
export function seedsOf(mounts: readonly Mount[], options: SeedOptions): Seeds {
  const seeder = new Seeder(options);
  for (const { path, kind } of mounts) {
    const [source, target] = [join(options.image, path), under(options.root, path)];
    checkPlace(options.root, target, lookAt(target) === undefined);
    // Links cannot be mounted, so their target is used.
    const found = kind === 'directory' ? lookAtImages(source) : followAt(source);
    if (found !== undefined) seeder.look(source, target, found);
    // If nothing exists, the kubelet would create a root-owned directory, even in place of a file.
    seeder.add(kind, target, undefined, kind === 'directory' ? NEW_DIRECTORY : NEW_FILE);
  }
  return seeder;
}

const NEW_DIRECTORY: Access = { mode: 0o755, uid: -1, gid: -1 };
const NEW_FILE: Access = { mode: 0o644, uid: -1, gid: -1 };

class Seeder implements Seeds {
  readonly steps: SeedStep[] = [];
  readonly unreadable: string[] = [];
  readonly #options: SeedOptions;
  readonly #planned = new Set<string>();

  constructor(options: SeedOptions) {
    this.#options = options;
  }

  look(source: string, path: string, found: Stats): void {
    const wanted = accessOf(found, this.#options.me);
    if (found.isSymbolicLink()) this.add('link', path, source, wanted);
    else if (found.isFile()) {
      if (this.#isSettled(path) || !this.#isReadable(source, constants.R_OK)) return;
      this.add('file', path, source, wanted);
    } else if (found.isDirectory()) {
      this.add('directory', path, source, { ...wanted, mode: wanted.mode | 0o700 });
      if (!this.#isReadable(source, constants.R_OK | constants.X_OK)) return;
      for (const name of readdirSync(source).toSorted()) {
        const child = lookAt(join(source, name));
        if (child !== undefined) this.look(join(source, name), join(path, name), child);
      }
    }
    // Packages contain no sockets, FIFOs or devices.
  }

  add(kind: SeedStep['kind'], path: string, source: string | undefined, wanted: Access): void {
    if (this.#isSettled(path)) return;
    this.steps.push({ kind, path, source, access: wanted });
    this.#planned.add(path);
  }

  #isSettled(path: string): boolean {
    return this.#planned.has(path) || this.#options.isTaken(path) || lookAt(path) !== undefined;
  }

  #isReadable(source: string, how: number): boolean {
    try {
      accessSync(source, how);
      return true;
    } catch (error) {
      this.unreadable.push(messageOf(error));
      return false;
    }
  }
}

/** Owner and mode of the image's object as far as permitted, and no wider. */
export function accessOf({ mode, uid, gid }: Stats, me: Identity): Access {
  if (me.uid === 0) return { mode: mode & 0o7777, uid, gid };
  if (gid === me.gid || me.groups.includes(gid)) return { mode: mode & 0o1777, uid: -1, gid };
  return { mode: modeFor({ uid: -1, gid: me.gid, rule: 'in the place of root' }, mode & 0o7777), uid: -1, gid: me.gid };
}

/** Missing parent directories get a mode that lets every user traverse them. */
export const PARENT_MODE = 0o755;

/** Copies one object into the volume. A file is copied completely or not at all. Throws the system's error. */
export function plant({ kind, path, source, access: wanted }: SeedStep, root: string, replacer: Replacer): void {
  if (kind === 'file') {
    const content = source === undefined ? Buffer.alloc(0) : readContent(source);
    replacer.replace(path, { content, ...wanted });
    return;
  }
  using directory = Directory.inside(root, dirname(path), PARENT_MODE);
  const name = basename(path);
  if (kind === 'directory') directory.make(name, wanted.mode);
  else directory.link(name, readlinkSync(source ?? ''));
  using made = directory.hold(name);
  if (made !== undefined) giveAccess(made, made.stat(), wanted);
}
