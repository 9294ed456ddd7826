import { chmodSync, globSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../tools/cache.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** In the repository: whoever can run the helpers from there, also as another user and in a root of its own, finds it. */
export const PLACE: string = join(REPOSITORY, 'node_modules/.cache/kolla-pod');
const KEPT_MS = 3 * 3600 * 1000;
const MADE_FROM = ['build/from-source.ts', 'build/names.ts', 'package-lock.json', 'test/support/bundled.ts'];

/**
 * The helpers of the sources as they are now, as few files of plain JavaScript: node reads each of hundreds of files and
 * takes its types out at every start, which costs five times what the helper does.
 * @returns the file to run instead of build/from-source.ts, with the same words
 */
export async function bundledHelpers(): Promise<string> {
  const files = [...MADE_FROM, ...globSync('{cmd,src}/**/*.{ts,json,html,css,ndjson}', { cwd: REPOSITORY }).toSorted()];
  const texts = files.flatMap((file) => [file, readFileSync(join(REPOSITORY, file), 'utf8')]);
  return join(await cached('helpers', texts, bundleTo, PLACE), 'from-source.mjs');
}

async function bundleTo(directory: string): Promise<void> {
  removeOld();
  // A directory for temporary files is its maker's alone.
  chmodSync(directory, 0o755);
  const { build } = await import('esbuild');
  const { textModules } = await import('../../build/text-modules.ts');
  await build({
    entryPoints: ['build/from-source.ts'],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: REPOSITORY,
    bundle: true,
    // What a helper imports lazily stays in files of its own.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Of a CommonJS package, what is imported lazily would lose its names.
    packages: 'external',
    plugins: [textModules],
    logLevel: 'warning',
  });
}

/** What was built in PLACE from sources that have changed since; a run that uses one takes minutes. */
export function removeOld(): void {
  for (const name of readdirSync(PLACE)) {
    const path = join(PLACE, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
