import type { Script } from 'node:vm';
import type { HelperModule } from '../src/cli/dispatch.ts';
import { lazyBuiltin } from './lazy-builtin.ts';
import { libraryOf } from './libraries.ts';
import type { Rehearsed } from './rehearse.ts';

/** The exports of a command's bundle. */
export interface LoadedHelper extends HelperModule, Rehearsed {
  /** Runs every lazy import. */
  readonly warm: () => Promise<unknown>;
}

/** Asset names of a bundle and its code cache in the binary. */
export function assetNames(name: string): { source: string; cache: string } {
  return { source: `${name}.js`, cache: `${name}.cache` };
}

/** A name's bundle and its libraries, each read and run once. */
export interface Loader {
  readonly helper: (name: string) => LoadedHelper;
  /** The exports of each import of the library. */
  readonly library: (name: string) => Readonly<Record<string, unknown>>;
  /** Libraries loaded so far. */
  readonly libraries: () => string[];
}

/**
 * @param scriptOf returns the script of a bundle or a library; a missing one is a bug of the build
 * @param builtin returns node's own modules; the binary has no modules besides these and the libraries
 */
export function createLoader(scriptOf: (name: string) => Script, builtin: (id: string) => unknown): Loader {
  const libraries = new Map<string, Record<string, unknown>>();
  const require = (id: string) => {
    const name = libraryOf(id);
    return name === undefined ? lazyBuiltin(id, builtin) : library(name)[id];
  };
  const library = (name: string) => {
    const known = libraries.get(name);
    if (known) return known;
    const exports = runModule(scriptOf(name), name, require);
    libraries.set(name, exports);
    return exports;
  };
  return {
    helper: (name) => runModule(scriptOf(name), name, require) as unknown as LoadedHelper,
    library,
    libraries: () => [...libraries.keys()],
  };
}

/** Runs a script and returns its exports. Its file name is absolute, as required by some libraries' createRequire. */
function runModule(script: Script, name: string, require: (id: string) => unknown): Record<string, unknown> {
  const module = { exports: {} };
  const factory = script.runInThisContext() as (...module: unknown[]) => void;
  factory(module.exports, require, module, `/${name}.js`, '/');
  return module.exports;
}
