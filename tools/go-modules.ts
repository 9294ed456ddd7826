import { dirname } from 'node:path';
import { goEnv } from './go-program.ts';
import { must } from './process.ts';

/** A module with code in a Go program. */
export interface GoModule {
  readonly path: string;
  /** `v1.2.3`; of the standard library `1.26.0`. */
  readonly version: string;
  /** Its sources, with its licence. */
  readonly directory: string;
}

/** The name that vulnerability databases have for Go's standard library. */
const STANDARD_LIBRARY = 'stdlib';

/**
 * The modules that a program was linked from, as the linker has recorded them: the main one first, the standard library
 * last. Sources that the module cache lacks are downloaded.
 * @param program path of a program for any architecture
 * @param directory the module whose go.sum has their digests
 */
export async function goModules(program: string, directory: string): Promise<GoModule[]> {
  const go = (...args: string[]) => must('go', args, { cwd: directory, env: { ...process.env, ...goEnv() } });
  const record = await go('version', '-m', program);
  const toolchain = /: go(\S+)$/m.exec(record)?.[1];
  if (toolchain === undefined) throw new Error(`${program} has no record of its modules`);
  const linked = [...record.matchAll(/^\t(?:mod|dep)\t(\S+)\t(\S+)/gm)].map(
    ([, path, version]) => `${path}@${version}`,
  );
  const found = new Map(downloads(await go('mod', 'download', '-json', ...linked)).map((one) => [nameOf(one), one]));
  const modules = linked.map((name) => {
    const { Path, Version, Dir } = found.get(name) ?? {};
    if (Path === undefined || Version === undefined || Dir === undefined) throw new Error(`no sources of ${name}`);
    return { path: Path, version: Version, directory: Dir };
  });
  return [...modules, { path: STANDARD_LIBRARY, version: toolchain, directory: (await go('env', 'GOROOT')).trim() }];
}

/**
 * Ensures that this machine's Go has linked the program: the cache keeps programs of former versions.
 * @throws Error if there is no Go, or another version
 */
export async function checkToolchain(program: string): Promise<void> {
  const go = (...args: string[]) => must('go', args, { env: { ...process.env, ...goEnv() } });
  const here = (await go('env', 'GOVERSION')).trim();
  const linked = /: (go.+)$/m.exec(await go('version', program))?.[1];
  if (linked !== here)
    throw new Error(`${program} was built by ${linked}, and Go here is ${here}: remove ${dirname(program)}`);
}

/** What `go mod download -json` prints of a module. */
interface Download {
  readonly Path?: string;
  readonly Version?: string;
  readonly Dir?: string;
}

function downloads(documents: string): Download[] {
  return documents
    .split(/(?<=^\})\n/m)
    .filter((document) => document.trim() !== '')
    .map((document) => JSON.parse(document) as Download);
}

function nameOf({ Path, Version }: Download): string {
  return `${Path}@${Version}`;
}
