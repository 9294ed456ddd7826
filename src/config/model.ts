import type { FileImage } from '../fs/write-file.ts';
import type { Mount } from './mounts.ts';
import type { Overlay } from './overlays/overlay.ts';
import type { Accounts, Identity, Ownership } from './owner.ts';

/** Owner and mode of something that is put in place. */
export interface Access {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** One thing to put in place. `entry` is what asked for it: `config_files[0]`. */
export type Step = DirectoryStep | FileStep | LinkStep;

interface Common {
  readonly entry: string;
  /** As config.json means it. */
  readonly dest: string;
  /** Where that is on this disk. */
  readonly path: string;
  /** It is there already, as it shall be. */
  readonly isRight: boolean;
}

export interface DirectoryStep extends Common, Access {
  readonly kind: 'directory';
}

export interface FileStep extends Common {
  readonly kind: 'file';
  readonly image: FileImage;
  /** Written where it is, because the file itself is mounted. */
  readonly inPlace: boolean;
}

export interface LinkStep extends Common {
  readonly kind: 'link';
  readonly target: string;
}

export interface PermissionStep {
  readonly entry: string;
  /** A glob, as config.json says it, not yet under a root. */
  readonly pattern: string;
  /** The same without the image's links before its first magic part, as FileStep's path has none. */
  readonly place: string;
  readonly mode: number | undefined;
  readonly owner: Ownership;
  readonly recurse: boolean;
  /** Places below the pattern that are not changed, named without the image's links. */
  readonly excluded: (path: string) => boolean;
  /** Carried out before config_files, so it doesn't concern what they put in place. */
  readonly early: boolean;
}

/** By destination: where the image's own is kept; null for what the image doesn't have. */
export type Tracked = ReadonlyMap<string, string | null>;

export interface PlanOptions {
  /** Without links. */
  readonly root: string;
  /** What volumes are seeded from. */
  readonly image: string;
  readonly configDir: string;
  readonly accounts: Accounts;
  readonly me: Identity;
  /** This pod's own values in the files. */
  readonly overlay?: Overlay | undefined;
  readonly mounts: readonly Mount[];
  /** What something is mounted at. */
  readonly mountPoints: ReadonlySet<string>;
  /** Whether files that the service has mounted themselves are written where they are. */
  readonly writesInPlace: boolean;
  readonly before: Tracked | undefined;
  /** Ends a long look at many files between two of them. */
  readonly signal: AbortSignal;
  /** Nothing will be written, so nothing need be writable, nor the volumes seeded. */
  readonly onlyCompare?: boolean;
}
