import type { FileImage } from '../fs/write-file.ts';
import type { Access } from './tree/access.ts';
import type { Mount } from './mounts.ts';
import type { Overlay } from './overlays/overlay.ts';
import type { Accounts, Identity, Ownership } from './owner.ts';
import type { State } from './stored-state.ts';

/** One object to install. `entry` requires it: `config_files[0]`. */
export type Step = DirectoryStep | FileStep | LinkStep;

interface Common {
  readonly entry: string;
  /** Destination as written in config.json. */
  readonly dest: string;
  /** Its path on this disk. */
  readonly path: string;
  /** Already up to date. */
  readonly isRight: boolean;
}

export interface DirectoryStep extends Common, Access {
  readonly kind: 'directory';
}

export interface FileStep extends Common {
  readonly kind: 'file';
  readonly image: FileImage;
  /** Written in place, because the file itself is a mount. */
  readonly inPlace: boolean;
}

export interface LinkStep extends Common {
  readonly kind: 'link';
  readonly target: string;
}

export interface PermissionStep {
  readonly entry: string;
  /** A glob from config.json, not yet relative to a root. */
  readonly pattern: string;
  /** The same with the image's links resolved before its first wildcard, like FileStep's path. */
  readonly place: string;
  readonly mode: number | undefined;
  readonly owner: Ownership;
  readonly recurse: boolean;
  /** Paths below the pattern that are not changed, with the image's links resolved. */
  readonly excluded: (path: string) => boolean;
  /** Applied before config_files, so it does not affect their files. */
  readonly early: boolean;
}

export interface PlanOptions {
  /** Without links. */
  readonly root: string;
  /** Source of seeds for volumes. */
  readonly image: string;
  readonly configDir: string;
  readonly accounts: Accounts;
  readonly me: Identity;
  /** Per-Pod values in the files. */
  readonly overlay?: Overlay | undefined;
  readonly mounts: readonly Mount[];
  /** Mount points. */
  readonly mountPoints: ReadonlySet<string>;
  /** Whether files that the service has mounted individually are written in place. */
  readonly writesInPlace: boolean;
  readonly before: State | undefined;
  /** Checked between files during a long scan. */
  readonly signal: AbortSignal;
  /** Nothing will be written: no destination need be writable, and no volume seeded. */
  readonly onlyCompare?: boolean;
}
