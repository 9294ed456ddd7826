import { basename, dirname, join, normalize } from 'node:path';
import { globIn, hasMagic, splitAtMagic } from './tree/glob.ts';
import { resolvedIn, treeOf, type Image, type ImageTree } from './image.ts';
import type { Loaded } from './read/read.ts';
import type { Entry } from './tree/entry.ts';
import { isNameless, matchesIfAny } from './read/sources.ts';

/** A path that the service's container must mount from a volume, since its root file system is read-only. */
export interface Mount {
  /** The path in the service's container, with the image's links resolved. */
  readonly path: string;
  readonly kind: 'directory' | 'file';
  /** The entries that require the mount: `config_files[0]`. */
  readonly entries: readonly string[];
  /** Whether a running container sees a replaced file. A mounted file keeps the old inode. */
  readonly reload: 'live' | 'restart';
  /** Whether the image has content there; undefined if the image is unknown. */
  readonly seed: boolean | undefined;
  /** The path occurs only in `directories` and `permissions`, so it contains the service's own data. */
  readonly data: boolean;
}

/** Directories used by more than one part of the system. */
const SHARED = new Set(
  `/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin
  /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/libx32 /usr/local /usr/local/bin /usr/local/etc /usr/local/lib
  /usr/local/sbin /usr/local/share /usr/sbin /usr/share /var /var/cache /var/lib /var/lib/kolla /var/lib/kolla/config_files /var/local
  /var/log /var/opt /var/run /var/spool /var/tmp`.split(/\s+/),
);

/** Whether a volume at that path would hide files of other programs. */
export function isShared(directory: string): boolean {
  return SHARED.has(directory) || /^\/(?:dev|proc|sys)\//.test(directory);
}

/**
 * The mounts that the service's container needs for the destinations of config.json: the directory of each copied file
 * or directory, and each created or owned directory; nested ones are merged into the outermost. Objects copied into a
 * shared directory are mounted individually. Except in shared directories, the result is therefore the same without
 * access to the sources. Sorted by path. Needs no root and touches nothing.
 */
export function mountsFor(loaded: Loaded, image: Image): readonly Mount[] {
  using tree = treeOf(image);
  const collector = new Collector(tree);
  const { config_files, directories, files, permissions } = loaded.document;
  for (const [i, { source, dest }] of config_files.entries()) {
    const entry = `config_files[${i}]`;
    // A source that does not exist (yet) counts as a file.
    const matches = matchesIfAny(source, dest, loaded.configDir);
    for (const match of matches)
      if (match.kind === 'directory') collector.copiedDirectory(match.dest, entry);
      else collector.file(match.dest, entry);
    if (matches.length > 0) continue;
    if (!dest.endsWith('/')) collector.file(dest, entry);
    else if (isNameless(source) || hasMagic(basename(source))) collector.directory(dest, entry, false);
    else collector.file(join(dest, basename(source)), entry);
  }
  for (const [i, { path }] of files.entries()) collector.file(path, `files[${i}]`);
  for (const [i, { path }] of directories.entries()) collector.directory(path, `directories[${i}]`, true);
  for (const [i, { path }] of permissions.entries()) collector.permission(path, `permissions[${i}]`);
  return collector.mounts();
}

interface Wish {
  readonly path: string;
  readonly kind: Mount['kind'];
  readonly entry: string;
  readonly data: boolean;
}

class Collector {
  readonly #wishes: Wish[] = [];
  readonly #image: ImageTree | undefined;

  constructor(image: ImageTree | undefined) {
    this.#image = image;
  }

  file(dest: string, entry: string): void {
    const path = normalize(dest);
    const directory = resolvedIn(this.#image, dirname(path));
    if (isShared(directory))
      this.#wishes.push({ path: join(directory, basename(path)), kind: 'file', entry, data: false });
    else this.#wishes.push({ path: directory, kind: 'directory', entry, data: false });
  }

  copiedDirectory(dest: string, entry: string): void {
    const path = resolvedIn(this.#image, dest);
    this.directory(isShared(dirname(path)) ? path : dirname(path), entry, false);
  }

  directory(dest: string, entry: string, data: boolean): void {
    const path = resolvedIn(this.#image, dest);
    if (!isShared(path)) this.#wishes.push({ path, kind: 'directory', entry, data });
  }

  /** A pattern is expanded in the image. Without an image, the part before its first wildcard is used. */
  permission(pattern: string, entry: string): void {
    const found = this.#image === undefined ? [] : globIn(this.#image, normalize(pattern));
    for (const path of found.length > 0 ? found : [splitAtMagic(pattern)[0]]) {
      const kind = this.#image?.stat(path)?.kind ?? 'directory';
      if (kind === 'directory') this.directory(path, entry, true);
      else this.file(path, entry);
    }
  }

  mounts(): Mount[] {
    const found = new Map<string, Omit<Mount, 'entries'>>();
    const entriesOf = new Map<string, Set<string>>();
    const wishes = this.#wishes.toSorted((a, b) => byPath(a.path, b.path) || (a.kind === 'directory' ? -1 : 1));
    const order = new Map(this.#wishes.map(({ entry }, i) => [entry, i]));
    for (const { path, kind, entry, data } of wishes) {
      const outer = outermost(found, path) ?? path;
      const mount = found.get(outer);
      entriesOf.set(outer, (entriesOf.get(outer) ?? new Set()).add(entry));
      found.set(outer, {
        path: outer,
        kind: mount?.kind ?? kind,
        reload: (mount?.kind ?? kind) === 'directory' ? 'live' : 'restart',
        seed: mount === undefined ? this.#hasContent(path) : mount.seed,
        data: mount === undefined ? data : mount.data && (data || mount.path !== path),
      });
    }
    const asked = (path: string) =>
      [...(entriesOf.get(path) ?? [])].toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    return [...found.values()]
      .toSorted((a, b) => byPath(a.path, b.path))
      .map((mount) => ({ ...mount, entries: asked(mount.path) }));
  }

  #hasContent(path: string): boolean | undefined {
    if (this.#image === undefined) return undefined;
    const entry: Entry | undefined = this.#image.stat(path);
    if (entry?.kind !== 'directory') return entry?.kind === 'file';
    // Directories that this user cannot list cannot be copied either.
    try {
      return this.#image.list(path).length > 0;
    } catch {
      return false;
    }
  }
}

function outermost(found: ReadonlyMap<string, Pick<Mount, 'path' | 'kind'>>, path: string): string | undefined {
  if (found.has(path)) return path;
  return [...found.values()].find((mount) => mount.kind === 'directory' && path.startsWith(`${mount.path}/`))?.path;
}

export function byPath(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
