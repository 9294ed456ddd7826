/**
 * Bundles sources into modules for kolla-core: the same cmd/ and src/ as in kolla-pod, with src/engine in place of
 * `node:` modules and of the files in its replacement list. `sys` (src/engine/runtime/sys.ts) is a global of theirs.
 *
 * An unsupported `node:` import fails the build, naming the importing file.
 */
import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { SUPERVISOR_NAME } from '../../src/process/supervised.ts';
import { ROOT, inputsOf } from '../bundle.ts';
import { textModules } from '../text-modules.ts';

/** Exit codes of an uncaught exception, for commands in which it is not 70. */
const BUGS: Readonly<Record<string, number>> = { kolla_set_configs: 2 };

const at = (file: string) => join(ROOT, 'src/engine', file);

/** Replacements of `node:` modules. */
export const MODULES: Readonly<Record<string, string>> = {
  'node:async_hooks': at('async-hooks.ts'),
  'node:buffer': at('runtime/buffer.ts'),
  'node:child_process': at('child-process.ts'),
  'node:crypto': at('crypto.ts'),
  'node:dgram': at('dgram.ts'),
  'node:events': at('events.ts'),
  'node:fs': at('fs.ts'),
  'node:fs/promises': at('fs-promises.ts'),
  'node:net': at('net.ts'),
  'node:os': at('os.ts'),
  'node:path': join(ROOT, 'node_modules/path-browserify/index.js'),
  'node:tls': at('tls.ts'),
  'node:util': at('util.ts'),
};

/** The condition of package.json's `imports` by which a file of the engine takes another's place, visible at the import. */
const CONDITION = 'kolla-core';
const { imports: IMPORTS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly imports: Readonly<Record<string, { readonly [CONDITION]: string; readonly default: string }>>;
};

/** Names whose own file is of the engine, since it starts kolla-pod for what the engine leaves to it. */
const OWN_COMMANDS = new Set(['kolla-db-sync', 'kolla-init', 'kolla-probe', 'kolla-sidecar', 'kubernetes-entrypoint']);

/** The file with a name's `main`, from the root. */
export function commandFile(name: string): string {
  return `${OWN_COMMANDS.has(name) ? 'src/engine' : 'cmd'}/${name}.ts`;
}

/** Scripts by name, and the files whose code is in them. */
export interface CoreBundle {
  readonly scripts: Readonly<Record<string, string>>;
  readonly inputs: readonly string[];
}

/** Of js-yaml, what src/core/yaml.ts uses. */
const YAML_EXPORTS = [
  'load',
  'loadAll',
  'CORE_SCHEMA',
  'YAML11_SCHEMA',
  'NOT_RESOLVED',
  'defineScalarTag',
  'mergeTag',
  'boolYaml11Tag',
  'floatCoreTag',
  'floatYaml11Tag',
  'intCoreTag',
  'intYaml11Tag',
];

/**
 * Packages loaded on demand, also by require(): each is a script of its own with these exports, by the file that has them.
 */
const APART: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'js-yaml': { 'js-yaml': YAML_EXPORTS },
  diff: { diff: ['structuredPatch'] },
  '@noble/hashes': { '@noble/hashes/legacy.js': ['sha1'] },
  'dns-packet': { 'dns-packet': ['decode', 'encode', 'RECURSION_DESIRED'] },
};
export const SCRIPTS_APART: readonly string[] = Object.keys(APART);

/**
 * A module for each name, `NAME.js`, and for the supervisor; and those that they share or load by import(), so that a name
 * reads no more than it runs. A name's module sets `sys.turn`.
 * @param from the directory of the files that export the names' `main`; without it, those of commandFile()
 */
export async function bundleNames(names: readonly string[], from?: string): Promise<CoreBundle> {
  // The supervisor has no name in cmd/, because it is no command of users.
  const supervisor = `import { supervise } from './src/engine/kolla-run.ts';\nsys.turn = supervise();`;
  const entries = new Map([
    ...names.map((name) => [name, entryOf(name, from)] as const),
    [SUPERVISOR_NAME, supervisor],
  ]);
  const result = await build({
    ...OPTIONS,
    entryPoints: [...entries.keys()].map((name) => ({ in: `${ENTRY}${name}`, out: name })),
    format: 'esm',
    splitting: true,
    outdir: ROOT,
    chunkNames: 'shared-[hash]',
    plugins: [entriesFrom(entries), textModules, forPackages, onEngine],
    inject: [at('globals.ts')],
  });
  const scripts = result.outputFiles.map(({ path, text }) => [basename(path), text] as const);
  return { scripts: Object.fromEntries(scripts), inputs: inputsOf(result.metafile) };
}

function entryOf(name: string, from: string | undefined): string {
  const bug = BUGS[name];
  const file = from === undefined ? commandFile(name) : `${from}/${name}.ts`;
  return [
    `import { start } from './src/engine/start.ts';`,
    `import { main } from './${file}';`,
    `sys.turn = start(${JSON.stringify(name)}, main${bug === undefined ? '' : `, ${bug}`});`,
  ].join('\n');
}

const ENTRY = 'entry:';

function entriesFrom(entries: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'entries',
    setup(builder) {
      builder.onResolve({ filter: new RegExp(`^${ENTRY}`) }, ({ path }) => ({
        path: path.slice(ENTRY.length),
        namespace: 'entry',
      }));
      builder.onLoad({ filter: /^/, namespace: 'entry' }, ({ path }) => ({
        contents: entries.get(path)!,
        resolveDir: ROOT,
        loader: 'ts',
      }));
    },
  };
}

/** @param name one of SCRIPTS_APART. The script is a function of `sys`, which returns the package */
export async function bundleApart(name: string): Promise<CoreBundle> {
  const lines = Object.entries(APART[name]!).map(
    ([file, exported]) => `export { ${exported.join(', ')} } from '${file}';`,
  );
  const result = await build({
    ...OPTIONS,
    stdin: { contents: lines.join('\n'), resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    format: 'cjs',
    plugins: [forPackages],
    // diff's asynchronous form is not used, so nothing runs later.
    define: { ...DEFINE, setTimeout: 'undefined' },
  });
  const script = `(function (sys) { const module = { exports: {} }, exports = module.exports;\n${result.outputFiles[0]!.text}\nreturn module.exports; })`;
  return { scripts: { [name]: script }, inputs: inputsOf(result.metafile) };
}

const DEFINE = { global: 'globalThis' };

const OPTIONS = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'ascii',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'esnext',
  legalComments: 'none',
  define: DEFINE,
  // For a file imported both as `node:fs` and as './fs.ts', esbuild keeps the result of the faster resolver, and
  // only one of them reads tsconfig.json: the same sources could give two scripts. Assigned fields cost the engine a
  // third of defined ones.
  tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true, useDefineForClassFields: false } },
  absWorkingDir: ROOT,
  write: false,
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const onEngine: Plugin = {
  name: 'on-engine',
  setup(builder) {
    builder.onResolve({ filter: /^node:/ }, ({ path, importer }) => {
      const found = MODULES[path];
      if (found !== undefined) return { path: found };
      return { errors: [{ text: `${importer} imports ${path}, which kolla-core does not have` }] };
    });
    builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path);
      if (relative(ROOT, file).startsWith('node_modules/')) return undefined;
      // A file without imported bindings has no side effects.
      return { path: file, sideEffects: false };
    });
    builder.onResolve({ filter: /^#/ }, ({ path }) => {
      const ours = IMPORTS[path]?.[CONDITION];
      if (ours === undefined) return { errors: [{ text: `package.json has no import ${path}` }] };
      return { path: join(ROOT, ours), sideEffects: false };
    });
    const names = new RegExp(`^(?:${SCRIPTS_APART.join('|')})$`);
    builder.onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'apart' }));
    builder.onLoad({ filter: names, namespace: 'apart' }, ({ path }) => ({
      contents: `export const { ${Object.values(APART[path]!).flat().join(', ')} } = sys.asset(${JSON.stringify(path)});`,
    }));
  },
};

/** Modules required by npm packages. */
const forPackages: Plugin = {
  name: 'for-packages',
  setup(builder) {
    builder.onResolve({ filter: /^buffer$/ }, () => ({ path: at('runtime/buffer.ts') }));
    builder.onResolve({ filter: /^\.\/(?:internal\/)?primordials$/ }, () => ({ path: at('primordials.ts') }));
  },
};
