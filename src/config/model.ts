import type { FileImage } from '../fs/write-file.ts';
import type { Access } from './tree/access.ts';
import type { Mount } from './mounts.ts';
import type { Overlay } from './overlays/overlay.ts';
import type { Accounts, Identity, Ownership } from './owner.ts';
import type { State } from './stored-state.ts';

/** One object to install. `entry` is the entry that requires it: `config_files[0]`. */
export type Step = DirectoryStep | FileStep | LinkStep;

interface Common {
  readonly entry: string;
  /** Destination as written in config.json. */
  readonly dest: string;
  /** The destination's path on this disk. */
  readonly path: string;
  /** The object is already up to date. */
  readonly isRight: boolean;
}

export interface DirectoryStep extends Common, Access {
  readonly kind: 'directory';
}

export interface FileStep extends Common {
  readonly kind: 'file';
  readonly image: FileImage;
  /** The file itself is a mount, so it is written in place. */
  readonly inPlace: boolean;
}

export interface LinkStep extends Common {
  readonly kind: 'link';
  readonly target: string;
}

export interface PermissionStep {
  readonly entry: string;
  /** A glob from config.json, not yet prefixed with a root. */
  readonly pattern: string;
  /** The same glob with the image's links resolved before its first wildcard, as in FileStep's path. */
  readonly place: string;
  readonly mode: number | undefined;
  readonly owner: Ownership;
  readonly recurse: boolean;
  /** Paths below the pattern that are left unchanged, with the image's links resolved. */
  readonly excluded: (path: string) => boolean;
  /** The entry is applied before config_files, so it does not affect their files. */
  readonly early: boolean;
}

export interface PlanOptions {
  /** Path with links resolved. */
  readonly root: string;
  /** Root of the content that fills the volumes. */
  readonly image: string;
  readonly configDir: string;
  readonly accounts: Accounts;
  readonly me: Identity;
  /** Per-Pod values in files. */
  readonly overlay?: Overlay | undefined;
  readonly mounts: readonly Mount[];
  /** Mount points. */
  readonly mountPoints: ReadonlySet<string>;
  /** Whether files that the service has mounted individually are written in place. */
  readonly writesInPlace: boolean;
  readonly before: State | undefined;
  /** Checked between files during a long scan. */
  readonly signal: AbortSignal;
  /** Set if nothing will be written: then no destination need be writable, and no volume is filled. */
  readonly onlyCompare?: boolean;
}
