import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run, tied } from '../../tools/process.ts';
import { hasRoom } from './elasticsearch-distribution.ts';
import { compile, javaHome } from './java.ts';
import { startSearchServer, type SearchProgram, type Settings } from './search-server.ts';

const KEPT = 'classes.jsa';
/** Maximum time to write the archive. */
const KEEP_MS = 120_000;

/** The log that a server writes to its stdout. */
const LOG4J = `<Configuration status="warn">
<Appenders><Console name="c"><PatternLayout pattern="[%d][%p][%c{1}] %m%n"/></Console></Appenders>
<Loggers><Root level="info"><AppenderRef ref="c"/></Root></Loggers>
</Configuration>
`;

/**
 * Our main class and its logging configuration as one more jar: Java's CDS archive excludes classes in directories.
 */
export async function addMain(home: string, main: string, server: string): Promise<void> {
  const classes = join(server, 'classes');
  await mkdir(classes);
  await compile(home, `${main}.java`, { classPath: `${server}/lib/*`, into: classes });
  await writeFile(join(classes, 'log4j2.xml'), LOG4J);
  await must(join(home, 'bin/jar'), ['cf', join(server, 'lib/main.jar'), '-C', classes, '.']);
  await rm(classes, { recursive: true });
}

/** The jars of directories in a fixed order, because Java uses its class archive only for the same class path. */
export async function classPathOf(...directories: readonly string[]): Promise<string> {
  const jars = await Promise.all(
    directories.map(async (directory) => {
      const names = existsSync(directory) ? await readdir(directory) : [];
      return names
        .filter((name) => name.endsWith('.jar'))
        .toSorted()
        .map((name) => join(directory, name));
    }),
  );
  return jars.flat().join(':');
}

/**
 * Starts a server once so that Java archives its classes (CDS): later starts take half the CPU.
 * @param server its jars
 * @param program builds it with more Java options
 * @returns the Java options to use the archive; none if there is none
 */
export async function keptClasses(
  java: string,
  server: string,
  program: (jvm: readonly string[]) => SearchProgram,
): Promise<readonly string[]> {
  const { stderr: version } = await run(join(java, 'bin/java'), ['-version']);
  const directory = await cached(`${basename(server)}-classes`, [version], async (into) => {
    const keeping = program([`-XX:ArchiveClassesAtExit=${join(into, KEPT)}`]);
    await using started = await startSearchServer({ ...keeping, stopMs: KEEP_MS }, {});
    await started.stop();
  });
  const file = join(directory, KEPT);
  return existsSync(file) ? [`-XX:SharedArchiveFile=${file}`] : [];
}

/**
 * A server of jars plus a main class of ours: needs a JDK, disk space, and Maven or its cache.
 * @param build creates everything that is built once, so that no test waits for it
 */
export function canRunOnClassPath(java: number, build: () => Promise<unknown>): Capability {
  return async () => {
    if ((await javaHome(java, true)) === undefined) return `no JDK of version ${java} or later`;
    if (!(await hasRoom())) return 'less than 1 GB free in /tmp';
    return await build().then(
      () => undefined,
      (error: unknown) => `Maven or javac failed: ${(error as Error).message.split('\n')[0]}`,
    );
  };
}

/**
 * The command line of a server. The kernel kills the server when we exit.
 * @param words the main class and its arguments before the settings
 */
export function javaCommand(
  home: string,
  jvm: readonly string[],
  words: readonly string[],
  settings: Settings,
): { argv: string[]; env: NodeJS.ProcessEnv } {
  const heap = ['-Xms256m', '-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];
  const all = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const java = [...heap, ...nativeAccess(home), ...jvm, ...words, ...all];
  const [program, args] = tied(join(home, 'bin/java'), java);
  return { argv: [program, ...args], env: { PATH: process.env['PATH'] } };
}

/** Without this option Java warns about Lucene; before Java 21 the option does not exist. */
function nativeAccess(home: string): string[] {
  return existsSync(join(home, 'bin/jwebserver')) ? ['--enable-native-access=ALL-UNNAMED'] : [];
}
