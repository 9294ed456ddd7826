/**
 * Bundles sources into scripts for kolla-core: the same cmd/ and src/ as in kolla-pod, with src/engine in place of
 * `node:` modules and of the files in its replacement list. A script is a function of `sys` (src/engine/runtime/sys.ts) that
 * returns the function called by the host.
 *
 * An unsupported `node:` import fails the build, naming the importing file.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { SUPERVISOR_NAME } from '../../src/process/supervised.ts';
import { ROOT, inputsOf } from '../bundle.ts';

/** Exit codes of an uncaught exception, for commands in which it is not 70. */
const BUGS: Readonly<Record<string, number>> = { kolla_set_configs: 2 };

const at = (file: string) => join(ROOT, 'src/engine', file);

/** Replacements of `node:` modules. */
export const MODULES: Readonly<Record<string, string>> = {
  'node:buffer': at('runtime/buffer.ts'),
  'node:child_process': at('child-process.ts'),
  'node:dgram': at('dgram.ts'),
  'node:fs': at('fs.ts'),
  'node:net': at('net.ts'),
  'node:os': at('os.ts'),
  'node:path': join(ROOT, 'node_modules/path-browserify/index.js'),
  'node:util': at('util.ts'),
};

/** The condition of package.json's `imports` by which a file of the engine takes another's place, visible at the import. */
const CONDITION = 'kolla-core';
const { imports: IMPORTS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly imports: Readonly<Record<string, { readonly [CONDITION]: string; readonly default: string }>>;
};

/** Names whose own file is of the engine, since it starts kolla-pod for what the engine leaves to it. */
const OWN_COMMANDS = new Set(['kolla-init', 'kolla-probe', 'kubernetes-entrypoint']);

/** The file with a name's `main`, from the root. */
export function commandFile(name: string): string {
  return `${OWN_COMMANDS.has(name) ? 'src/engine' : 'cmd'}/${name}.ts`;
}

/** A script, and the files whose code is in it. */
export interface CoreBundle {
  readonly script: string;
  readonly inputs: readonly string[];
}

/** Packages loaded on demand: each is a separate script with the used part of the package. */
const APART: Readonly<Record<string, string>> = {
  'js-yaml': `module.exports = require('js-yaml');`,
  diff: `import { structuredPatch } from 'diff';\nmodule.exports = { structuredPatch };`,
  '@noble/hashes': `import { sha1 } from '@noble/hashes/legacy.js';\nimport { sha256 } from '@noble/hashes/sha2.js';\nmodule.exports = { sha1, sha256 };`,
  'dns-packet': `module.exports = require('dns-packet');`,
};
export const SCRIPTS_APART: readonly string[] = Object.keys(APART);

/** @param from the directory of the file that exports the name's `main`; without it, that of commandFile() */
export async function bundleName(name: string, from?: string): Promise<CoreBundle> {
  const bug = BUGS[name];
  const file = from === undefined ? commandFile(name) : `${from}/${name}.ts`;
  const contents = [
    `import { start } from './src/engine/start.ts';`,
    `import { main } from './${file}';`,
    `module.exports = start(${JSON.stringify(name)}, main${bug === undefined ? '' : `, ${bug}`});`,
  ].join('\n');
  return await bundle(name, contents, { plugins: [forPackages, onEngine], inject: [at('globals.ts')] });
}

/** The supervisor of the programs that helpers run. It has no name in cmd/, because it is no command of users. */
export async function bundleSupervisor(): Promise<CoreBundle> {
  const contents = `module.exports = require('./src/engine/kolla-run.ts').supervise();`;
  return await bundle(SUPERVISOR_NAME, contents, { plugins: [forPackages, onEngine], inject: [at('globals.ts')] });
}

/** @param name one of SCRIPTS_APART */
export async function bundleApart(name: string): Promise<CoreBundle> {
  // diff's asynchronous form is not used, so nothing runs later.
  return await bundle(name, APART[name]!, { plugins: [forPackages], define: { ...DEFINE, setTimeout: 'undefined' } });
}

const DEFINE = { global: 'globalThis' };

async function bundle(
  name: string,
  contents: string,
  more: Pick<BuildOptions, 'plugins' | 'inject' | 'define'>,
): Promise<CoreBundle> {
  const result = await build({
    stdin: { contents, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    charset: 'ascii',
    format: 'cjs',
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
    ...more,
  });
  const script = `(function (sys) { const module = { exports: {} }, exports = module.exports;\n${result.outputFiles[0]!.text}\nreturn module.exports; })`;
  return { script, inputs: inputsOf(result.metafile) };
}

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
      contents: `module.exports = sys.asset(${JSON.stringify(path)});`,
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
