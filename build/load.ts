import type { Script } from 'node:vm';
import type { HelperModule } from '../src/cli/dispatch.ts';
import { lazyBuiltin } from './lazy-builtin.ts';
import type { Rehearsed } from './rehearse.ts';

/** What a bundle exports. */
export interface LoadedHelper extends HelperModule, Rehearsed {
  /** Runs every lazy import. */
  readonly warm: () => Promise<unknown>;
}

/** Under which names a helper's bundle and cache lie in the binary. */
export function assetNames(name: string): { source: string; cache: string } {
  return { source: `${name}.js`, cache: `${name}.cache` };
}

/**
 * Runs a bundle's script as a module. Its file name is absolute, as some libraries' createRequire asks.
 * @param requireBuiltin gives node's own modules; there are no others in the binary
 */
export function compileHelper(script: Script, name: string, requireBuiltin: (id: string) => unknown): LoadedHelper {
  const module = { exports: {} as LoadedHelper };
  const factory = script.runInThisContext() as (...module: unknown[]) => void;
  const require = (id: string) => lazyBuiltin(id, requireBuiltin);
  factory(module.exports, require, module, `/${name}.js`, '/');
  return module.exports;
}
