import { chmod, lstat, readdir, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { makeDirectory, makeDirectories } from '../../fs/directory.ts';
import { Replacer } from '../../fs/replacer.ts';
import { binaryOf } from './core-names.ts';
import { EXECUTABLE } from './place-binary.ts';

/** Where a name of ours leads, of this version or of another. */
const BINARY_LINK = /^\.\.\/kolla-(?:pod|core)$/;
const LEFT_AS_IS = { uid: -1, gid: -1 };
const EVERYBODY_ENTERS = 0o555;

/**
 * Makes the names beside the binary, each whole or not there; those that an older version had and this one has not are
 * removed, other files are not touched.
 * @returns how many were written or removed. Rejects with the system's error
 */
export async function placeNames(directory: string, layout: Layout): Promise<number> {
  const replacer = new Replacer();
  let changes = 0;
  for (const [name, wanted] of Object.entries(layout)) {
    const at = await innerDirectory(join(directory, name));
    const there = await linksIn(at);
    for (const [link, target] of Object.entries(wanted)) {
      if (there.get(link) === target) continue;
      replacer.link(join(at, link), { target, ...LEFT_AS_IS });
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
 * A directory that every uid can enter and read. One that was there keeps its mode: it may be a mount point whose owner
 * has a reason.
 * @throws ConfigError where something else has that name
 */
export async function madeDirectory(path: string): Promise<string> {
  const first = await makeDirectories(path, EXECUTABLE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
    throw new ConfigError(`install: ${path} is not a directory: name one that a volume is mounted on`, {
      cause: error,
    });
  });
  if (first !== undefined) await Promise.all(fromTo(path, first).map((made) => chmod(made, EXECUTABLE)));
  return path;
}

/** A directory and those above it, up to one of them: mkdir has taken the umask from their modes. */
function fromTo(path: string, top: string): string[] {
  return path === top ? [path] : [path, ...fromTo(dirname(path), top)];
}

/**
 * One of ours in the volume, as madeDirectory, but open to all even where a run was killed before it saw to that. No link: what others
 * of the volume's users may have put there must not lead us out of it.
 */
async function innerDirectory(path: string): Promise<string> {
  await makeDirectory(path, EXECUTABLE);
  const found = await lstat(path);
  if (!found.isDirectory())
    throw new ConfigError(`install: ${path} is not a directory: remove what stands there, or name another DIR`);
  if ((found.mode & EVERYBODY_ENTERS) !== EVERYBODY_ENTERS) await chmod(path, EXECUTABLE);
  return path;
}

/** What begins with a dot may be another run's, which is about to rename it. */
async function linksIn(directory: string): Promise<Map<string, string | undefined>> {
  const found = await readdir(directory, { withFileTypes: true });
  const links = found.filter((entry) => entry.isSymbolicLink() && !entry.name.startsWith('.'));
  const targets = links.map(
    async ({ name }) => [name, await readlink(join(directory, name)).catch(ignoreAbsent)] as const,
  );
  return new Map(await Promise.all(targets));
}

/** Where images, and volumes that are mounted into them, have the binary and its names. */
export const PLACE = '/opt/kolla-pod';

/** A name of another program: its directory is for the PATH of images without root alone. */
const SUDO = 'sudo';

/** What lies beside the binaries: by directory and name, where the link leads. */
type Layout = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * @param names of the binary
 * @param hasCore whether `kolla-core` lies there as well
 */
export function layoutOf(names: readonly string[], hasCore: boolean): Layout {
  const linksTo = (some: readonly string[]) =>
    Object.fromEntries(some.map((name) => [name, `../${binaryOf(name, hasCore)}`]));
  return {
    bin: linksTo(names.filter((name) => name !== SUDO)),
    'rootless-bin': linksTo([SUDO]),
  };
}
