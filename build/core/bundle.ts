/**
 * From sources to scripts for kolla-core: the same cmd/ and src/ as in kolla-pod, where `node:` and what its allow-list names
 * stand for src/engine. A script is a function of `sys` (src/engine/sys.ts) that gives what the host calls next.
 *
 * An import of `node:` that is not on the list ends the build with the file that has it.
 */
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { ROOT, inputsOf } from '../bundle.ts';

/** The exit code of an exception that nothing catches, where it is not 70. */
const BUGS: Readonly<Record<string, number>> = { kolla_set_configs: 2 };

const at = (file: string) => join(ROOT, 'src/engine', file);

/** What `node:` leads to. */
export const MODULES: Readonly<Record<string, string>> = {
  'node:buffer': at('buffer.ts'),
  'node:child_process': at('child-process.ts'),
  'node:fs': at('fs.ts'),
  'node:net': at('net.ts'),
  'node:os': at('os.ts'),
  'node:path': join(ROOT, 'node_modules/path-browserify/index.js'),
  'node:util': at('util.ts'),
};

/** Files with one of the engine's own in their place. */
const TWINS: Readonly<Record<string, string>> = {
  'cmd/kolla-probe.ts': at('kolla-probe.ts'),
  'src/config/set-configs/bounded.ts': at('bounded.ts'),
  'src/core/binary-name.ts': at('binary-name.ts'),
  'src/core/digest.ts': at('digest.ts'),
  'src/fs/at.ts': at('at.ts'),
  'src/net/request-by-client.ts': at('no-client.ts'),
  'src/probe/kolla/curl/tls.ts': at('curl-tls.ts'),
};

/** Where the code of a file is. @param path from the top of the repository */
export function fileOf(path: string): string {
  return TWINS[path] ?? join(ROOT, path);
}

/** A script, and the files whose code is in it. */
export interface CoreBundle {
  readonly script: string;
  readonly inputs: readonly string[];
}

/** Read only where a file asks for it: a script of its own. */
const APART = 'js-yaml';

/** @param from the directory of the name's own file, which exports `main` */
export async function bundleName(name: string, from = 'cmd'): Promise<CoreBundle> {
  const bug = BUGS[name];
  const contents = [
    `import { start } from './src/engine/start.ts';`,
    `import { main } from './${from}/${name}.ts';`,
    `module.exports = start(${JSON.stringify(name)}, main${bug === undefined ? '' : `, ${bug}`});`,
  ].join('\n');
  return await bundle(name, contents, [onEngine]);
}

export async function bundleApart(): Promise<CoreBundle> {
  return await bundle(APART, `module.exports = require(${JSON.stringify(APART)});`, []);
}

async function bundle(name: string, contents: string, plugins: Plugin[]): Promise<CoreBundle> {
  const result = await build({
    stdin: { contents, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    plugins,
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    charset: 'ascii',
    format: 'cjs',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'esnext',
    legalComments: 'none',
    define: { global: 'globalThis' },
    // Of a file that is imported by two ways, `node:fs` and './fs.ts', esbuild takes what the quicker one knows, and only one knows of
    // tsconfig.json: the same sources would give two scripts.
    // A field that is assigned costs the engine a third of one that is defined.
    tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true, useDefineForClassFields: false } },
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
    logLevel: 'warning',
    inject: plugins.length === 0 ? [] : [at('globals.ts')],
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
      const twin = TWINS[relative(ROOT, join(resolveDir, path))];
      return twin === undefined ? undefined : { path: twin };
    });
    // What packages of npm's ask for.
    builder.onResolve({ filter: /^buffer$/ }, () => ({ path: at('buffer.ts') }));
    builder.onResolve({ filter: /^js-yaml$/ }, () => ({ path: APART, namespace: 'apart' }));
    builder.onLoad({ filter: /.*/, namespace: 'apart' }, () => ({
      contents: `module.exports = sys.asset(${JSON.stringify(APART)});`,
    }));
  },
};
