/**
 * `node build/core/check.ts`: checks that kolla-core's commands use only what its engine has, which is less than Node.
 * Part of `make check`.
 *
 *   cmd/NAME.ts -> bundle (fails for a `node:` import that the engine lacks) -> the list of its files
 *   -> oxlint's no-undef on the bundle: globals that neither the language nor the engine has
 *   -> tsc with src/engine in place of @types/node: calls, arguments and methods that the engine lacks
 *
 * What can fail: code that works on Node, but would throw on the engine when it runs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { CORE_PROGRAMS } from '../../src/toolbox/install/core-names.ts';
import { run } from '../../tools/process.ts';
import { ROOT } from '../bundle.ts';
import { isTextModule } from '../text-modules.ts';
import { bundleApart, bundleNames, commandFile, MODULES, SCRIPTS_APART, type CoreBundle } from './bundle.ts';

/**
 * Globals of QuickJS-ng, in addition to the language's. `sys` is ours; packages test for `define` before they use it.
 */
const GLOBALS = ['sys', 'atob', 'btoa', 'queueMicrotask', 'define'];
const LINT = {
  env: { builtin: true },
  globals: Object.fromEntries(GLOBALS.map((name) => [name, 'readonly'])),
  categories: { correctness: 'off' },
  rules: { 'no-undef': ['error', { typeof: false }] },
};
/** Directory of files that the main project checks, with Node's own types. */
const ENGINE = 'src/engine/';

/** Packages whose own types import Node's. */
const STUBS: Readonly<Record<string, string>> = {
  '@kubernetes/client-node/dist/config.js': join(ROOT, ENGINE, 'types/client-node.d.ts'),
  'dns-packet': join(ROOT, ENGINE, 'types/dns-packet.d.ts'),
};

const directory = mkdtempSync(join(tmpdir(), 'kolla-core-check-'));
try {
  const inputs = new Set<string>();
  const write = ({ scripts }: CoreBundle) => {
    for (const [name, text] of Object.entries(scripts))
      writeFileSync(join(directory, `${name.replaceAll('/', '-').replace(/\.js$/, '')}.js`), text);
  };
  const bundle = await bundleNames(CORE_PROGRAMS);
  write(bundle);
  for (const input of bundle.inputs) inputs.add(input);
  for (const name of SCRIPTS_APART) write(await bundleApart(name));
  const problems = [...(await undefinedNames()), ...(await typeErrors(inputs))];
  for (const line of problems) console.error(line);
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  // esbuild has printed its errors already.
  if (!('errors' in (error as object))) throw error;
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true });
}

async function undefinedNames(): Promise<string[]> {
  const config = join(directory, 'oxlint.json');
  writeFileSync(config, JSON.stringify(LINT));
  const args = ['--config', config, '--format', 'unix', directory];
  const { code, stdout } = await run(join(ROOT, 'node_modules/.bin/oxlint'), args);
  const lines = stdout.split('\n').filter((line) => line.startsWith(directory));
  if (code !== 0 && lines.length === 0) throw new Error(`oxlint ended with ${code}: ${stdout}`);
  return lines.map((line) => relative(directory, line));
}

async function typeErrors(inputs: ReadonlySet<string>): Promise<string[]> {
  const paths = Object.entries(MODULES).filter(([, file]) => file.startsWith(join(ROOT, ENGINE)));
  const config = join(directory, 'tsconfig.json');
  const project = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      types: [],
      paths: Object.fromEntries([...paths, ...Object.entries(STUBS)].map(([name, file]) => [name, [file]])),
    },
    include: [],
    files: [
      ...CORE_PROGRAMS.map((name) => join(ROOT, commandFile(name))),
      ...['start.ts', 'types/globals.d.ts', 'types/modules.d.ts'].map((file) => join(ROOT, ENGINE, file)),
    ],
  };
  writeFileSync(config, JSON.stringify(project));
  const { code, stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', config], { cwd: ROOT });
  if (code !== 0 && !stdout.includes('error TS')) throw new Error(`tsc ended with ${code}: ${stdout}`);
  return stdout.split('\n').flatMap((line) => {
    const [, file, rest] = /^([^\s(][^(]*)(\(\d.*)$/.exec(line) ?? [];
    const path = file === undefined ? '' : relative(ROOT, resolve(ROOT, file));
    return inputs.has(path) && !path.startsWith(ENGINE) && !isTextModule(path) ? [`${path}${rest}`] : [];
  });
}
