import { chmodSync, globSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Plugin } from 'esbuild';
import { LIBRARIES, libraryOf } from '../../build/libraries.ts';
import { cached } from '../../tools/cache.ts';
import { digestOf } from './source-digests.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/**
 * A directory in the repository, which is readable for everything that can run the helpers from there, including other
 * users and chroots.
 */
export const PLACE: string = join(REPOSITORY, 'node_modules/.cache/kolla-pod');
const MJS = { '.js': '.mjs' };
const CJS = { '.js': '.cjs' };
const KEPT_MS = 3 * 3600 * 1000;
const MAIN = 'test/support/bundled-main.ts';
const MADE_FROM = [MAIN, 'build/names.ts', 'build/libraries.ts', 'test/support/bundled.ts'];

/**
 * The helpers of the current sources, each bundled into one script like the binary's: reading hundreds of files at each
 * start costs more than the helper's own work.
 * @returns the file to run instead of build/from-source.ts, with the same arguments
 */
export async function bundledHelpers(): Promise<string> {
  const texts = MADE_FROM.flatMap((file) => [file, readFileSync(join(REPOSITORY, file), 'utf8')]);
  return join(await cached('helpers', [digestOf('helpers'), ...texts], bundleTo, PLACE), 'main.mjs');
}

async function bundleTo(directory: string): Promise<void> {
  removeOld();
  // Temporary directories are private to their owners.
  chmodSync(directory, 0o755);
  const { build } = await import('esbuild');
  const { textModules } = await import('../../build/text-modules.ts');
  const options: BuildOptions = {
    absWorkingDir: REPOSITORY,
    bundle: true,
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  };
  await build({ ...options, entryPoints: { main: MAIN }, outdir: directory, outExtension: MJS, format: 'esm' });
  // Lazy imports are in the same file, and run when they are reached.
  const script: BuildOptions = { ...options, outExtension: CJS, format: 'cjs', supported: { 'dynamic-import': false } };
  const cmd = globSync('cmd/*.ts', { cwd: REPOSITORY });
  await build({ ...script, entryPoints: cmd, outdir: join(directory, 'cmd'), plugins: [textModules, librariesApart] });
  await build({ ...script, entryPoints: LIBRARY_FILES, outdir: join(directory, 'libraries') });
}

/** The libraries of build/libraries.ts, as names of files and what is imported from them. */
const LIBRARY_FILES = Object.fromEntries(Object.entries(LIBRARIES).map(([name, [id = '']]) => [name, id]));

/** Each library is one file too: the client of Kubernetes alone is 850. */
const librariesApart: Plugin = {
  name: 'libraries-apart',
  setup(builder) {
    builder.onResolve({ filter: /^[^.]/ }, ({ path }) => {
      const library = libraryOf(path);
      return library === undefined ? undefined : { path: `../libraries/${library}.cjs`, external: true };
    });
  },
};

/** Removes outdated bundles from PLACE, unless a run that takes minutes may still use them. */
export function removeOld(): void {
  for (const name of readdirSync(PLACE)) {
    const path = join(PLACE, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
