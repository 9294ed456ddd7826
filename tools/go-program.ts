import { readFile, readdir, statfs } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { cached, cacheRoot } from './cache.ts';
import { exclusively } from './lock.ts';
import { must } from './process.ts';

const BUILD_DEADLINE_MS = 40 * 60_000;

interface Program {
  /** Also its directory under `directory`. */
  readonly name: string;
  readonly directory: string;
  readonly sources: readonly string[];
  readonly flags: readonly string[];
  /** Bytes that a build from nothing needs on the cache's disk. */
  readonly room: number;
  /** The package with its main(), if that is not the directory itself but of a module that it requires. */
  readonly main?: string;
}

/** Builds a program of ours, or of a module that one of ours requires, once into the cache; its path. */
export async function goProgram({ name, directory, sources, flags, room, main = '.' }: Program): Promise<string> {
  const texts = await Promise.all(sources.map((source) => textOf(join(directory, source))));
  const place = await cached(name, [arch(), ...flags, ...texts], async (output) => {
    const { bavail, bsize } = await statfs(output);
    if (bavail * bsize < room)
      throw new Error(`${cacheRoot()} has ${(bavail * bsize) / 1e9} GB free; a build needs ${room / 1e9}`);
    const build = ['build', '-trimpath', '-ldflags', `-s -w ${flags.join(' ')}`, '-o', join(output, name)];
    const env = goEnv();
    // One build at a time: it takes all processors, and the next one finds compiled what both are made of.
    await exclusively(env.GOCACHE, async () => {
      // nice: the compiler must leave room for the tests that run meanwhile.
      await must('nice', ['go', ...build, main], {
        cwd: join(directory, name),
        env: { ...process.env, ...env },
        signal: AbortSignal.timeout(BUILD_DEADLINE_MS),
      });
    });
  });
  return join(place, name);
}

/**
 * Modules and compiled packages are kept with everything else that was fetched and built, so that after a changed flag or file
 * only the rest is built. Go itself removes compiled packages that no build used for five days.
 */
function goEnv() {
  return {
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-buildvcs=false -modcacherw',
    GOCACHE: join(cacheRoot(), 'go-build'),
    GOMODCACHE: join(cacheRoot(), 'go-mod'),
  };
}

/** A source's text, a directory's texts one after the other. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    const names = (await readdir(path)).toSorted();
    return (await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))).join('\0');
  }
}
