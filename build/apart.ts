import { join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { LIBRARIES, libraryOf, packageOf, packagesOf } from './libraries.ts';

const ROOT = join(import.meta.dirname, '..');
/** Packages allowed in a name's own bundle, in addition to our sources. */
const WITHIN = new Set(['valibot']);
const LOOKING = Symbol('looking where it lies');

/**
 * Leaves the libraries out of a bundle: their imports stay `require(...)`, which build/load.ts answers. A package's other
 * version, that some dependency has for itself, is not the library and stays with that dependency.
 * @param own the library that is being bundled; undefined for a name
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
        const text = `'${path}' is asked for as none of the imports in build/libraries.ts`;
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
 * Holds what makes it safe to share: our own modules, with their state and the classes that `instanceof` asks for, lie in the
 * names' bundles alone, of which a process loads one; and a package lies in one library alone.
 * @param own the library that was bundled; undefined for a name
 * @throws Error that names the file and the fix
 */
export function refuseStrangers(bundle: string, own: string | undefined, { inputs }: Metafile): void {
  for (const path of Object.keys(inputs)) {
    const wanted = path.startsWith('node_modules/') ? packageOf(path.slice('node_modules/'.length)) : undefined;
    if (own === undefined && wanted !== undefined && !WITHIN.has(wanted))
      throw new Error(`${path} is in the bundle of ${bundle}: name its library in build/libraries.ts`);
    if (own !== undefined && /^(src|cmd|build)\//.test(path))
      throw new Error(`${path}, which is ours, is in the library ${bundle}: there would be two of it in one process`);
  }
}
