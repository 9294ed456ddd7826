import { join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { LIBRARIES, libraryOf, packageOf, packagesOf } from './libraries.ts';

const ROOT = join(import.meta.dirname, '..');
/** Packages allowed in a name's own bundle, in addition to our sources. */
const WITHIN = new Set(['valibot']);
const LOOKING = Symbol('looking where it lies');

/**
 * Leaves the libraries out of a bundle: their imports stay `require(...)`, resolved by build/load.ts. Another version of
 * a package, private to one dependency, is not the library and stays with that dependency.
 * @param own the library being bundled; undefined for a command
 */
export function librariesApart(own: string | undefined): Plugin {
  const others = new Set(
    Object.keys(LIBRARIES)
      .filter((library) => library !== own)
      .flatMap(packagesOf),
  );
  return {
    name: 'libraries-apart',
    setup(builder) {
      builder.onResolve({ filter: /^[@a-z]/ }, async ({ path, pluginData, importer, resolveDir, kind }) => {
        const wanted = packageOf(path);
        if (pluginData === LOOKING || !others.has(wanted)) return undefined;
        const found = await builder.resolve(path, { importer, resolveDir, kind, pluginData: LOOKING });
        if (!found.path.startsWith(join(ROOT, 'node_modules', wanted, '/'))) return found;
        const text = `'${path}' is imported under a name that build/libraries.ts does not list`;
        return libraryOf(path) === undefined ? { errors: [{ text }] } : { path, external: true };
      });
    },
  };
}

/** The libraries that a bundle requires. */
export function librariesIn({ inputs }: Metafile): string[] {
  const asked = Object.values(inputs).flatMap(({ imports }) => imports.filter((one) => one.external === true));
  return [...new Set(asked.flatMap(({ path }) => libraryOf(path) ?? []))].toSorted();
}

/**
 * Ensures that sharing is safe: our own modules, with their state and the classes used by `instanceof`, are only in the
 * commands' bundles, of which a process loads one; and a package is in a single library.
 * @param own the library that was bundled; undefined for a command
 * @throws Error that names the file and the fix
 */
export function refuseStrangers(bundle: string, own: string | undefined, { inputs }: Metafile): void {
  for (const path of Object.keys(inputs)) {
    const wanted = path.startsWith('node_modules/') ? packageOf(path.slice('node_modules/'.length)) : undefined;
    if (own === undefined && wanted !== undefined && !WITHIN.has(wanted))
      throw new Error(`${path} is in the bundle of ${bundle}: name its library in build/libraries.ts`);
    if (own !== undefined && /^(src|cmd|build)\//.test(path))
      throw new Error(`${path}, which is ours, is in the library ${bundle}: a process would load it twice`);
  }
}
