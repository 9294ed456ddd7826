import { readFile, readdir, statfs } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { cached, cacheRoot } from './cache.ts';
import { must } from './process.ts';

const BUILD_DEADLINE_MS = 40 * 60_000;

export interface Program {
  /** Also its folder under `folder`. */
  readonly name: string;
  readonly folder: string;
  readonly sources: readonly string[];
  readonly flags: readonly string[];
  /** Bytes that a build from nothing needs on the cache's disk. */
  readonly room: number;
  /** The package with its main(), if that is not the folder itself but of a module that it requires. */
  readonly main?: string;
}

/** Builds a program of ours, or of a module that one of ours requires, once into the cache; its path. */
export async function goProgram({ name, folder, sources, flags, room, main = '.' }: Program): Promise<string> {
  const texts = await Promise.all(sources.map((source) => textOf(join(folder, source))));
  const place = await cached(name, [arch(), ...flags, ...texts], async (output) => {
    const { bavail, bsize } = await statfs(output);
    if (bavail * bsize < room)
      throw new Error(`${cacheRoot()} has ${(bavail * bsize) / 1e9} GB free; a build needs ${room / 1e9}`);
    // -p 2 and nice: on a small machine the compiler must leave room for the tests that run meanwhile.
    const build = ['build', '-p', '2', '-trimpath', '-ldflags', `-s -w ${flags.join(' ')}`, '-o', join(output, name)];
    await must('nice', ['go', ...build, main], {
      cwd: join(folder, name),
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false -modcacherw' },
      signal: AbortSignal.timeout(BUILD_DEADLINE_MS),
    });
  });
  return join(place, name);
}

/** A source's text, a folder's texts one after the other. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    const names = (await readdir(path)).toSorted();
    return (await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))).join('\0');
  }
}
