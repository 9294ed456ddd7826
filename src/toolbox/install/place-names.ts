import { chmod, lstat, readdir, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RAISED_NAMES } from '../../cli/raised.ts';
import { codeOf, ConfigError } from '../../core/errors.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { makeDirectory, makeDirectories } from '../../fs/directory.ts';
import { Replacer } from '../../fs/replacer.ts';
import { binaryOf } from './core-names.ts';
import { EXECUTABLE } from './place-binary.ts';

/** Targets of our links, of this version or another one. */
const BINARY_LINK = /^\.\.\/kolla-(?:pod|core)$/;
const EVERYBODY_ENTERS = 0o555;

/**
 * Creates the links next to the binary, each atomically; those of an older version are removed, other files are not
 * touched.
 * @returns the number written or removed. Rejects with the system's error
 */
export async function placeNames(directory: string, layout: Layout): Promise<number> {
  using replacer = new Replacer();
  let changes = 0;
  for (const [name, wanted] of Object.entries(layout)) {
    const at = await innerDirectory(join(directory, name));
    const there = await linksIn(at);
    for (const [link, target] of Object.entries(wanted)) {
      if (there.get(link) === target) continue;
      replacer.link(join(at, link), target);
      changes++;
    }
    for (const [link, target = ''] of there) {
      if (!BINARY_LINK.test(target) || Object.hasOwn(wanted, link)) continue;
      await rm(join(at, link), { force: true });
      changes++;
    }
  }
  replacer.sync();
  return changes;
}

/**
 * A directory that every uid can enter and read. An existing directory keeps its mode, because it may be a mount point
 * whose mode was chosen.
 * @throws ConfigError if another object has that name
 */
export async function madeDirectory(path: string): Promise<string> {
  let first: string | undefined;
  try {
    first = makeDirectories(path, EXECUTABLE);
  } catch (cause) {
    const code = codeOf(cause);
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw cause;
    throw new ConfigError(`install: ${path} is not a directory: use the mount point of a volume`, { cause });
  }
  if (first !== undefined) await Promise.all(fromTo(path, first).map((made) => chmod(made, EXECUTABLE)));
  return path;
}

/** A directory and its parents, up to the given one, because mkdir has applied the umask to their modes. */
function fromTo(path: string, top: string): string[] {
  return path === top ? [path] : [path, ...fromTo(dirname(path), top)];
}

/**
 * One of our directories in the volume, like madeDirectory, but accessible to all users even after an interrupted run.
 * It is not followed if it is a link, because other users of the volume must not redirect us.
 */
async function innerDirectory(path: string): Promise<string> {
  makeDirectory(path, EXECUTABLE);
  const found = await lstat(path);
  if (!found.isDirectory()) throw new ConfigError(`install: ${path} is not a directory: remove it, or use another DIR`);
  if ((found.mode & EVERYBODY_ENTERS) !== EVERYBODY_ENTERS) await chmod(path, EXECUTABLE);
  return path;
}

/** The links in a directory with their targets, except names with a leading dot: temporary files of concurrent runs. */
async function linksIn(directory: string): Promise<Map<string, string | undefined>> {
  const found = await readdir(directory, { withFileTypes: true });
  const links = found.filter((entry) => entry.isSymbolicLink() && !entry.name.startsWith('.'));
  const targets = links.map(
    async ({ name }) => [name, await readlink(join(directory, name)).catch(ignoreAbsent)] as const,
  );
  return new Map(await Promise.all(targets));
}

/** The path of the binary and its links, in images and in volumes mounted into them. */
export const PLACE = '/opt/kolla-pod';

/** The name of another program. Its directory is meant only for the PATH of images without root. */
const SUDO = 'sudo';

/** The links next to the binaries, as targets by directory and name. */
type Layout = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Without kolla-core, the names that sudo runs as root are left out: as kolla-pod, Node would load what OPENSSL_CONF of the caller
 * names before our first line can refuse it.
 * @param names names that the binary has
 * @param hasCore whether `kolla-core` is in the same directory
 */
export function layoutOf(names: readonly string[], hasCore: boolean): Layout {
  const linksTo = (some: readonly string[]) =>
    Object.fromEntries(some.map((name) => [name, `../${binaryOf(name, hasCore)}`]));
  return {
    bin: linksTo(names.filter((name) => name !== SUDO && (hasCore || !RAISED_NAMES.has(name)))),
    'rootless-bin': linksTo([SUDO]),
  };
}
