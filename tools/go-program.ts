import { readFile, readdir, statfs } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { cached, cacheRoot } from './cache.ts';
import { exclusively } from './lock.ts';
import { must } from './process.ts';

const BUILD_DEADLINE_MS = 40 * 60_000;

interface Program {
  /** The program's name, and its directory under `directory` unless `within` names another. */
  readonly name: string;
  readonly directory: string;
  readonly within?: string;
  readonly sources: readonly string[];
  readonly flags: readonly string[];
  /** Build tags. */
  readonly tags?: readonly string[];
  /** The module file in the directory; by default the `go.mod` that applies to the program. */
  readonly module?: string;
  /** The disk space, in bytes, that a build from scratch needs. */
  readonly room: number;
  /** The main package, if it is in a required module and not in the directory itself. */
  readonly main?: string;
  /** The processor that runs it, in Node's spelling (default: this machine's). */
  readonly architecture?: string;
}

/** Architectures by Node's names, where Go has another. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };

/** Builds one of our programs, or of a module it requires, once into the cache; returns its path. */
export async function goProgram({
  name,
  directory,
  within = name,
  sources,
  flags,
  tags = [],
  module,
  room,
  main = '.',
  architecture = arch(),
}: Program): Promise<string> {
  const texts = await Promise.all(sources.map((source) => textOf(join(directory, source))));
  const place = await cached(name, [architecture, ...flags, ...tags, ...texts], async (output) => {
    const { bavail, bsize } = await statfs(output);
    if (bavail * bsize < room)
      throw new Error(`${cacheRoot()} has ${(bavail * bsize) / 1e9} GB free; a build needs ${room / 1e9}`);
    const tagged = tags.length === 0 ? [] : ['-tags', tags.join(',')];
    const other = module === undefined ? [] : [`-modfile=${join(directory, module)}`];
    const options = [
      '-trimpath',
      ...other,
      ...tagged,
      '-ldflags',
      `-s -w ${flags.join(' ')}`,
      '-o',
      join(output, name),
    ];
    const env = goEnv();
    // One build at a time: it uses all CPUs, and the next one reuses shared compiled packages.
    await exclusively(env.GOCACHE, async () => {
      // The build runs with nice: the compiler must leave CPU time for concurrent tests.
      await must('nice', ['go', 'build', ...options, main], {
        cwd: join(directory, within),
        env: { ...process.env, ...env, GOARCH: GO_ARCHITECTURES[architecture] ?? architecture },
        signal: AbortSignal.timeout(BUILD_DEADLINE_MS),
      });
    });
  });
  return join(place, name);
}

/**
 * Modules and compiled packages are cached, so that only the rest is rebuilt after a changed flag or file. Go itself
 * removes compiled packages unused for five days.
 */
export function goEnv(): Readonly<
  Record<'CGO_ENABLED' | 'GOTOOLCHAIN' | 'GOFLAGS' | 'GOCACHE' | 'GOMODCACHE', string>
> {
  return {
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-buildvcs=false -modcacherw',
    GOCACHE: join(cacheRoot(), 'go-build'),
    GOMODCACHE: join(cacheRoot(), 'go-mod'),
  };
}

/** The content of a source file, or of all files in a directory. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    const names = (await readdir(path)).toSorted();
    return (await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))).join('\0');
  }
}
