import { chmodSync, globSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../tools/cache.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/**
 * A directory in the repository, which is readable for everything that can run the helpers from there, including other
 * users and chroots.
 */
export const PLACE: string = join(REPOSITORY, 'node_modules/.cache/kolla-pod');
const KEPT_MS = 3 * 3600 * 1000;
const MADE_FROM = ['build/from-source.ts', 'build/names.ts', 'package-lock.json', 'test/support/bundled.ts'];

/**
 * The helpers of the current sources bundled into a few JavaScript files: reading and stripping types from hundreds of
 * files at each start costs five times the helper's own work.
 * @returns the file to run instead of build/from-source.ts, with the same arguments
 */
export async function bundledHelpers(): Promise<string> {
  const files = [...MADE_FROM, ...globSync('{cmd,src}/**/*.{ts,json,html,css,ndjson}', { cwd: REPOSITORY }).toSorted()];
  const texts = files.flatMap((file) => [file, readFileSync(join(REPOSITORY, file), 'utf8')]);
  return join(await cached('helpers', texts, bundleTo, PLACE), 'from-source.mjs');
}

async function bundleTo(directory: string): Promise<void> {
  removeOld();
  // Temporary directories are private to their owners.
  chmodSync(directory, 0o755);
  const { build } = await import('esbuild');
  const { textModules } = await import('../../build/text-modules.ts');
  await build({
    entryPoints: ['build/from-source.ts'],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: REPOSITORY,
    bundle: true,
    // Lazy imports stay in separate files.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Lazily imported CommonJS packages would lose their named exports.
    packages: 'external',
    plugins: [textModules],
    logLevel: 'warning',
  });
}

/** Removes outdated bundles from PLACE, unless a run that takes minutes may still use them. */
export function removeOld(): void {
  for (const name of readdirSync(PLACE)) {
    const path = join(PLACE, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
