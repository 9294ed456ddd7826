import { dirname } from 'node:path';
import type { Mount } from '../mounts.ts';
import type { Document } from '../schema.ts';

/** Where kolla-init has the service's tree: the service's own root is read-only, and hidden by what is mounted. */
export const INIT_ROOT = '/kolla';
/** The volume that kolla-init fills, in memory. */
export const TREE_VOLUME = 'kolla';
/** kolla_start without root reads the command there. */
const RUN_DIRECTORY = '/run/kolla';
export const LOG_DIRECTORY = '/var/log/kolla';
const TEMPORARY_DIRECTORY = '/tmp';

/** One mount of the service's container. */
export interface Place {
  readonly path: string;
  readonly kind: Mount['kind'];
  /**
   * `config`: filled by kolla-init from the image and config.json; `run`: the same, its state; `logs`, `data`: the
   * service's own; `temporary`: that of no entry.
   */
  readonly purpose: 'config' | 'run' | 'logs' | 'data' | 'temporary';
  readonly volume: string;
  /** Below the volume's root; undefined: its root. */
  readonly subPath: string | undefined;
  readonly reload: Mount['reload'];
  /** Whether the image has content there, which is copied first; undefined: no image was looked at. */
  readonly seed: boolean | undefined;
  readonly entries: readonly string[];
}

export interface Layout {
  /** Sorted by path. */
  readonly places: readonly Place[];
  /** The directories of the volume that kolla-init mounts, each at INIT_ROOT and its path; outer ones first. */
  readonly covers: readonly string[];
}

/**
 * Says from which volume each mount comes. What the service keeps (logs, data) has volumes of its own; the rest is one
 * volume, mounted directory by directory.
 */
export function layOut(mounts: readonly Mount[], document: Document): Layout {
  const owned = new Set([...document.directories, ...document.permissions].map(({ path }) => withoutSlash(path)));
  const places = new Map<string, Place>();
  const add = (place: Place) => {
    const there = places.get(place.path);
    const entries = [...new Set([...(there?.entries ?? []), ...place.entries])];
    places.set(place.path, { ...(there ?? place), seed: there?.seed ?? place.seed, entries });
  };
  const names = new Set<string>([TREE_VOLUME, 'config-files', 'logs', 'tmp']);
  for (const mount of mounts) add(placeOf(mount, owned, names));
  add(own(LOG_DIRECTORY, 'logs', 'logs'));
  add(own(TEMPORARY_DIRECTORY, 'temporary', 'tmp'));
  add({ ...own(RUN_DIRECTORY, 'run', TREE_VOLUME), subPath: RUN_DIRECTORY.slice(1) });
  const all = [...places.values()];
  const sorted = all
    .filter((place) => !all.some((outer) => holds(outer, place)))
    .toSorted((a, b) => byPath(a.path, b.path));
  return { places: sorted, covers: coversOf(sorted) };
}

function placeOf(mount: Mount, owned: ReadonlySet<string>, names: Set<string>): Place {
  const { path, kind, reload, seed, entries } = mount;
  const common = { kind, reload, seed, entries };
  if (isIn(path, LOG_DIRECTORY)) return { ...own(LOG_DIRECTORY, 'logs', 'logs'), entries };
  if (isIn(path, TEMPORARY_DIRECTORY)) return { ...own(TEMPORARY_DIRECTORY, 'temporary', 'tmp'), entries };
  // What stands in /etc is configuration, also where an entry says whose it is.
  if (kind === 'directory' && !isIn(path, '/etc') && (mount.data || owned.has(path)))
    return { ...own(path, 'data', newName(path, names)), ...common };
  return { path, ...common, purpose: 'config', volume: TREE_VOLUME, subPath: path.slice(1) };
}

/** Whether the one is in the other already: both are of the same volume, at the same place in it. */
function holds(outer: Place, inner: Place): boolean {
  const sameVolume = outer.volume === TREE_VOLUME && inner.volume === TREE_VOLUME && outer.kind === 'directory';
  return sameVolume && outer.path !== inner.path && isIn(inner.path, outer.path);
}

function own(path: string, purpose: Place['purpose'], volume: string): Place {
  return { path, kind: 'directory', purpose, volume, subPath: undefined, reload: 'live', seed: undefined, entries: [] };
}

/** A DNS label: /var/lib/glance is var-lib-glance. */
function newName(path: string, names: Set<string>): string {
  const label = path
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '');
  let name = label;
  for (let i = 2; names.has(name); i++) name = `${label}-${i}`;
  names.add(name);
  return name;
}

/**
 * What kolla-init mounts of the tree's volume: the directory *above* each place, so that it makes the place itself and owns
 * it. Between such a directory and another volume inside of it the runtime would make directories that are root's; the kubelet
 * makes them writable where each is mounted by itself, outer ones first.
 */
function coversOf(places: readonly Place[]): string[] {
  const above = places.filter(({ volume }) => volume === TREE_VOLUME).map(({ path }) => dirname(path));
  const covers = above.filter((directory) => !above.some((other) => other !== directory && isIn(directory, other)));
  const foreign = places.filter(({ volume }) => volume !== TREE_VOLUME).map(({ path }) => path);
  const between = foreign.flatMap((path) =>
    ancestors(path).filter((directory) => covers.some((cover) => cover !== directory && isIn(directory, cover))),
  );
  return [...new Set([...covers, ...between])].toSorted(byPath);
}

function ancestors(path: string): string[] {
  const directory = dirname(path);
  return directory === '/' ? [] : [...ancestors(directory), directory];
}

/** Whether `path` is `directory` or below it. */
export function isIn(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

export function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}

function byPath(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
