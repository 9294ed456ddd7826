import { dirname } from 'node:path';
import { isWithin } from '../../fs/within.ts';
import { byPath, type Mount } from '../mounts.ts';
import type { Document } from '../read/schema.ts';
import { trimmed } from '../python/values.ts';

/** Where kolla-init mounts the service's tree, since its own root is read-only and would be hidden by mounts. */
export const INIT_ROOT = '/kolla';
/** The in-memory volume filled by kolla-init. */
export const TREE_VOLUME = 'kolla';
/** kolla_start without root reads the command from this directory. */
const RUN_DIRECTORY = '/run/kolla';
export const LOG_DIRECTORY = '/var/log/kolla';
const TEMPORARY_DIRECTORY = '/tmp';

/** One mount of the service's container. */
export interface PlannedMount {
  readonly path: string;
  readonly kind: Mount['kind'];
  /**
   * `config` is filled by kolla-init from the image and config.json, and `run` with its state; `logs` and `data` belong
   * to the service; `temporary` appears in no entry.
   */
  readonly purpose: 'config' | 'run' | 'logs' | 'data' | 'temporary';
  readonly volume: string;
  /** Path relative to the volume's root; undefined for the root itself. */
  readonly subPath: string | undefined;
  readonly reload: Mount['reload'];
  /** Whether the image has content to copy there first; undefined if no image was examined. */
  readonly seed: boolean | undefined;
  readonly entries: readonly string[];
}

export interface Layout {
  /** Mounts of the service's container, sorted by path. */
  readonly places: readonly PlannedMount[];
  /**
   * The directories of the volume that kolla-init mounts, each at INIT_ROOT plus its path. Outer directories come
   * first.
   */
  readonly covers: readonly string[];
}

/**
 * Assigns a volume to each mount. Persistent data (logs, data) has separate volumes; everything else is one volume,
 * mounted by directory.
 */
export function layOut(mounts: readonly Mount[], document: Document): Layout {
  const owned = new Set([...document.directories, ...document.permissions].map(({ path }) => trimmed(path)));
  const places = new Map<string, PlannedMount>();
  const add = (place: PlannedMount) => {
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

function placeOf(mount: Mount, owned: ReadonlySet<string>, names: Set<string>): PlannedMount {
  const { path, kind, reload, seed, entries } = mount;
  const common = { kind, reload, seed, entries };
  if (isWithin(LOG_DIRECTORY, path)) return { ...own(LOG_DIRECTORY, 'logs', 'logs'), entries };
  if (isWithin(TEMPORARY_DIRECTORY, path)) return { ...own(TEMPORARY_DIRECTORY, 'temporary', 'tmp'), entries };
  // Content of /etc is configuration, even if an entry sets its owner.
  if (kind === 'directory' && !isWithin('/etc', path) && (mount.data || owned.has(path)))
    return { ...own(path, 'data', newName(path, names)), ...common };
  return { path, ...common, purpose: 'config', volume: TREE_VOLUME, subPath: path.slice(1) };
}

/** Whether one mount contains the other at the same place in the same volume. */
function holds(outer: PlannedMount, inner: PlannedMount): boolean {
  const sameVolume = outer.volume === TREE_VOLUME && inner.volume === TREE_VOLUME && outer.kind === 'directory';
  return sameVolume && outer.path !== inner.path && isWithin(outer.path, inner.path);
}

function own(path: string, purpose: PlannedMount['purpose'], volume: string): PlannedMount {
  return { path, kind: 'directory', purpose, volume, subPath: undefined, reload: 'live', seed: undefined, entries: [] };
}

/** A DNS label: var-lib-glance for /var/lib/glance. */
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
 * The mounts of the tree's volume in kolla-init: the directory *above* each place, so that kolla-init creates the place
 * itself and owns it. Missing directories between such a directory and a nested volume would be created by the
 * container runtime, owned by root; the kubelet creates them writable if each is mounted individually, outer ones
 * first.
 */
function coversOf(places: readonly PlannedMount[]): string[] {
  const above = places.filter(({ volume }) => volume === TREE_VOLUME).map(({ path }) => dirname(path));
  const covers = above.filter((directory) => !above.some((other) => other !== directory && isWithin(other, directory)));
  const foreign = places.filter(({ volume }) => volume !== TREE_VOLUME).map(({ path }) => path);
  const between = foreign.flatMap((path) =>
    ancestors(path).filter((directory) => covers.some((cover) => cover !== directory && isWithin(cover, directory))),
  );
  return [...new Set([...covers, ...between])].toSorted(byPath);
}

function ancestors(path: string): string[] {
  const directory = dirname(path);
  return directory === '/' ? [] : [...ancestors(directory), directory];
}
