import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must, run } from '../../tools/process.ts';

const SOURCES = fileURLToPath(new URL('java', import.meta.url));
/** The directory in which Debian's packages and others install Java. */
const PLACES = '/usr/lib/jvm';

/**
 * The home of a Java of at least this version: that of the PATH if sufficient, else JAVA_HOME's or an installed one.
 * Undefined if there is none.
 * @param withCompiler a full JDK
 */
export async function javaHome(atLeast: number, withCompiler: boolean = false): Promise<string | undefined> {
  const own = await homeOfPath();
  const installed = existsSync(PLACES) ? readdirSync(PLACES).toSorted() : [];
  const homes = [own, process.env['JAVA_HOME'], ...installed.map((name) => join(PLACES, name))];
  for (const home of homes) {
    if (home === undefined || !existsSync(join(home, withCompiler ? 'bin/javac' : 'bin/java'))) continue;
    if ((await majorOf(home)) >= atLeast) return home;
  }
  return undefined;
}

/** The same, throwing if there is none. */
export async function needJava(atLeast: number, withCompiler: boolean = false): Promise<string> {
  const home = await javaHome(atLeast, withCompiler);
  if (home !== undefined) return home;
  throw new Error(`no ${withCompiler ? 'JDK' : 'Java'} of version ${atLeast} or later`);
}

/** The path of one of our Java files. */
export function javaSource(name: string): string {
  return join(SOURCES, name);
}

/**
 * Compiles one of our files.
 * @param classPath jars, in javac's notation: `lib/*`
 * @param into output directory
 * @param release minimum Java version at run time; default the JDK's
 */
export async function compile(
  home: string,
  name: string,
  { classPath, into, release }: { classPath: string; into: string; release?: number },
): Promise<void> {
  const level = release === undefined ? [] : ['--release', String(release)];
  const words = ['-nowarn', '-Xlint:none', '-proc:none', ...level, '-cp', classPath, '-d', into, javaSource(name)];
  await must(join(home, 'bin/javac'), words);
}

async function homeOfPath(): Promise<string | undefined> {
  const said = await run('java', ['-XshowSettings:properties', '-version']).catch(() => undefined);
  return /java\.home = (.+)/.exec(said?.stderr ?? '')?.[1];
}

async function majorOf(home: string): Promise<number> {
  const said = await run(join(home, 'bin/java'), ['-version']).catch(() => undefined);
  return Number(/version "(\d+)/.exec(said?.stderr ?? '')?.[1] ?? 0);
}
