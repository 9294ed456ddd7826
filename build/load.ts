import type { Script } from 'node:vm';
import type { HelperModule } from '../src/cli/dispatch.ts';

/** What a bundle exports. */
export interface LoadedHelper extends HelperModule {
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
  factory(module.exports, requireBuiltin, module, `/${name}.js`, '/');
  return module.exports;
}
