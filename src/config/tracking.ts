import { readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { followAt, lookAt } from '../fs/access.ts';
import { fileHolds, readContent } from '../fs/content.ts';
import { lookAtImages } from './image.ts';
import type { Identity } from './owner.ts';
import { under } from './place.ts';
import { accessOf } from './seed.ts';
import { fileUnder, nameOf, type Site } from './site.ts';
import { keptPath } from './state.ts';
import type { State } from './stored-state.ts';
import type { FileStep, LinkStep, Step } from './model.ts';
import { fileStep, linkStep } from './step.ts';

/** An object to remove: a file or link, or a directory if it is empty by then. */
export interface Removal {
  readonly dest: string;
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

/** What to do with files of earlier runs or of the image that config.json no longer installs. */
export interface Tracking {
  /** The image's own files, which are saved before they are replaced. */
  readonly kept: readonly FileStep[];
  /** The image's own files, which are restored because nothing replaces them any more. */
  readonly restored: readonly (FileStep | LinkStep)[];
  readonly removals: readonly Removal[];
  /** The state to store during and after the run; undefined if it cannot be stored. */
  readonly state: { readonly during: State; readonly after: State } | undefined;
}

export interface TrackingOptions {
  readonly site: Site;
  readonly me: Identity;
  readonly before: State | undefined;
  /** All installed objects. Those of config_files are tracked. */
  readonly steps: readonly Step[];
  /** Directories that config_files copy as a whole, without merge, as written in config.json. */
  readonly replaced: readonly string[];
}

/**
 * Compares config.json with the tracked state. Installed files that are no longer asked for are removed, or the image's
 * own restored. In a directory copied as a whole only the image's files and ours are removed: the service's files are
 * kept. Touches nothing.
 */
export function track(options: TrackingOptions): Tracking {
  const { steps, replaced, before } = byPlace(options);
  const tracker = new Tracker({ ...options, steps, replaced, before });
  if (before === undefined) return tracker.result();
  for (const step of steps) tracker.asked(step);
  for (const directory of replaced) tracker.replace(directory);
  for (const [dest, saved] of before) tracker.dropped(dest, saved);
  return tracker.result();
}

/** Normalizes names: if the image has a link, /var/run/x in config.json becomes /run/x. */
function byPlace({
  site,
  steps,
  replaced,
  before,
}: TrackingOptions): Pick<TrackingOptions, 'steps' | 'replaced' | 'before'> {
  const known = new Map(steps.map(({ dest, path }) => [dest, path]));
  const named = (dest: string) => nameOf(site, known.get(dest) ?? fileUnder(site, dest));
  return {
    steps: steps.map((step) => ({ ...step, dest: nameOf(site, step.path) })),
    replaced: replaced.map((directory) => nameOf(site, fileUnder(site, directory))),
    before: before && new Map([...before].map(([dest, saved]) => [named(dest), saved])),
  };
}

class Tracker {
  readonly #options: TrackingOptions;
  readonly #wanted: ReadonlySet<string>;
  readonly #after: Map<string, string | null>;
  readonly #kept: FileStep[] = [];
  readonly #restored: (FileStep | LinkStep)[] = [];
  readonly #removals: Removal[] = [];

  constructor(options: TrackingOptions) {
    this.#options = options;
    this.#wanted = new Set(options.steps.map(({ dest }) => dest));
    this.#after = new Map(options.before);
  }

  result(): Tracking {
    const { before } = this.#options;
    const state = before && { during: new Map([...before, ...this.#after]), after: this.#after };
    // The content of a directory is removed before the directory.
    const removals = this.#removals.toSorted((a, b) => (a.path < b.path ? 1 : -1));
    return { kept: this.#kept, restored: this.#restored, removals, state };
  }

  asked({ entry, dest, path, kind }: Step): void {
    if (entry.startsWith('config_files') && !this.#after.has(dest))
      this.#after.set(dest, this.#keep(dest, path, kind === 'directory'));
  }

  /** Removes the image's content from a directory that is now replaced completely. */
  replace(directory: string): void {
    const top = fileUnder(this.#options.site, directory);
    const isNew = !this.#options.before?.has(directory);
    for (const { name, kind } of below(top)) {
      const [dest, path] = [join(directory, name), join(top, name)];
      if (kind === 'directory') {
        // Removed unless it contains files of a service.
        if (!this.#wanted.has(dest) && this.#isImages(dest, path, isNew)) this.#removals.push({ dest, path, kind });
        continue;
      }
      if (this.#wanted.has(dest) || this.#after.has(dest) || !this.#isImages(dest, path, isNew)) continue;
      this.#after.set(dest, this.#keep(dest, path, false));
      this.#removals.push({ dest, path, kind: 'file' });
    }
  }

  dropped(dest: string, saved: string | null): void {
    if (this.#wanted.has(dest)) return;
    const path = fileUnder(this.#options.site, dest);
    const found = lookAt(path);
    const isReplaced = this.#options.replaced.some((directory) => dest.startsWith(`${directory}/`));
    if (!isReplaced || saved === null) this.#after.delete(dest);
    if (saved !== null && !isReplaced) this.#restore(dest, saved);
    else if (found?.isDirectory() && saved === null) this.#removals.push({ dest, path, kind: 'directory' });
    else if (found !== undefined && !found.isDirectory()) this.#removals.push({ dest, path, kind: 'file' });
  }

  /** Where the image's own file will be found: in the image, if another root is written; otherwise it is saved. */
  #keep(dest: string, path: string, isDirectory: boolean): string | null {
    const { site } = this.#options;
    if (site.tree !== undefined) return site.tree.lstat(dest) === undefined ? null : dest;
    const found = lookAt(path);
    if (found === undefined || !this.#isOnRoot(path)) return null;
    if (isDirectory || found.isDirectory()) return dest;
    const kept = keptPath(dest);
    this.#copy(dest, path, kept, this.#kept);
    return kept;
  }

  #restore(dest: string, saved: string): void {
    const { site } = this.#options;
    const from = site.tree === undefined ? under(site.root, saved) : join(site.image, dest);
    const found = lookAtImages(from);
    if (found?.isDirectory() || from === fileUnder(site, dest)) return;
    // A newer image may no longer have the file.
    if (found === undefined) this.#removals.push({ dest, path: fileUnder(site, dest), kind: 'file' });
    else this.#copy(dest, from, dest, this.#restored);
  }

  #copy(entry: string, from: string, to: string, into: (FileStep | LinkStep)[]): void {
    const found = followAt(from);
    const { site, me } = this.#options;
    const context = { site, permissions: [] };
    const link = lookAt(from);
    if (link?.isSymbolicLink()) into.push(linkStep(entry, to, readlinkSync(from), context));
    else if (found?.isFile()) {
      const times = { atime: found.atimeMs / 1000, mtime: found.mtimeMs / 1000 };
      into.push(fileStep(entry, to, { content: readContent(from), ...accessOf(found, me), times }, context));
    }
  }

  /**
   * Whether the path is on the root's file system: on first start the content of another volume may be a service's.
   * Compares the directory's device, since overlayfs may report its layer's device for a file.
   */
  #isOnRoot(path: string): boolean {
    return lookAt(dirname(path))?.dev === lookAt(this.#options.site.root)?.dev;
  }

  /**
   * Whether the object is the image's: in a volume, if it is equal to the image's; in the image itself, if it exists on
   * first start.
   */
  #isImages(dest: string, path: string, isNew: boolean): boolean {
    const { site } = this.#options;
    if (site.tree === undefined) return isNew && this.#isOnRoot(path);
    const found = lookAtImages(join(site.image, dest));
    if (found?.isSymbolicLink())
      return lookAt(path)?.isSymbolicLink() === true && readlinkSync(path) === readlinkSync(join(site.image, dest));
    if (found?.isDirectory()) return true;
    if (!found?.isFile() || found.size !== lookAt(path)?.size) return false;
    return fileHolds(path, readContent(join(site.image, dest)));
  }
}

/** Everything below a directory. */
function below(directory: string): { name: string; kind: Removal['kind'] }[] {
  return lookAt(directory)?.isDirectory() ? [...inside(directory, '')] : [];
}

function* inside(directory: string, at: string): Generator<{ name: string; kind: Removal['kind'] }> {
  for (const entry of readdirSync(join(directory, at), { withFileTypes: true })) {
    const name = join(at, entry.name);
    yield { name, kind: entry.isDirectory() ? 'directory' : 'file' };
    if (entry.isDirectory()) yield* inside(directory, name);
  }
}
