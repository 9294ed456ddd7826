/**
 * Programs of any Debian suite that run on this machine, on the suite's own libc:
 *
 *   packages with libc, unpacked -> hard links of all files -> each executable gets a copy whose interpreter and
 *     library path are the suite's -> a directory in the cache
 *
 * LD_LIBRARY_PATH would not do: it also reaches the machine's own shell, which can't run on another libc.
 */
import { constants } from 'node:fs';
import { glob, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.ts';
import { libraryDirectories, unpackedPackages } from './debian.ts';
import { must } from './process.ts';

/** A part of the cache key that changes when the result changes for the same packages. */
const RECIPE_VERSION = '1';
const ELF = Buffer.from('\x7fELF');

/**
 * A directory with the packages' programs, created once and cached. Do not write into it.
 * @param packages names, or pins: `rabbitmq-server=4.3.6-1`
 * @param suite a codename: `trixie`, `sid`
 */
export async function suitePrograms(name: string, packages: readonly string[], suite: string): Promise<string> {
  const tree = await unpackedPackages(name, packages, { suite });
  return await cached(`${name}-programs`, [RECIPE_VERSION, tree], async (directory) => {
    await must('cp', ['-al', `${tree}/.`, directory]);
    const tools = await unpackedPackages('patchelf', ['patchelf'], { except: ['libc6'] });
    const env = { ...process.env, LD_LIBRARY_PATH: (await libraryDirectories(join(tools, 'usr'))).join(':') };
    const libraries = await libraryDirectories(join(tree, 'usr'));
    const [loader] = await Array.fromAsync(glob(libraries.map((each) => `${each}/ld-linux*.so.*`)));
    if (loader === undefined) throw new Error(`the packages of ${name} have no libc: ${tree}`);
    // A forced RPATH also holds for the libraries' own dependencies.
    const own = ['--set-interpreter', loader, '--force-rpath', '--set-rpath', libraries.join(':')];
    for (const program of await executables(tree)) {
      // --output replaces the hard link: the shared file is not written.
      const [from, to] = [join(tree, program), join(directory, program)];
      await must('rm', [to]);
      await must(join(tools, 'usr/bin/patchelf'), [...own, '--output', to, from], { env });
      await must('chmod', ['a+x', to]);
    }
  });
}

/** Paths of the dynamically linked programs: executable ELF files that are no libraries. */
async function executables(tree: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob('usr/{bin,sbin,lib,libexec}/**', { cwd: tree })) {
    if (/\.so(?:\.|$)/.test(path)) continue;
    const file = await lstat(join(tree, path));
    if (file.isFile() && (file.mode & constants.S_IXUSR) !== 0 && (await isElf(join(tree, path)))) found.push(path);
  }
  return found;
}

async function isElf(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(ELF.length), 0, ELF.length, 0);
  return buffer.equals(ELF);
}
