/**
 * Run by the binary's own base node, once a bundle, in the directory of all bundles: `node ... build/warm.ts NAME`. Executes what the
 * helper's start and its usual work execute, or a library's, then saves V8's code cache with all that was compiled
 * meanwhile.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { LIBRARIES } from './libraries.ts';
import { assetNames, createLoader } from './load.ts';
import { rehearseLibrary } from './rehearse-library.ts';
import { rehearse } from './rehearse.ts';

/** Command lines without external effects that exit at once: port 1 refuses. */
const USUAL_WORK: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'kolla-probe': [
    // A slow build must not compile the timeout path.
    ['tcp', '127.0.0.1:1', '--timeout', '1h'],
    ['http', 'http://127.0.0.1:1/', '--timeout', '1h'],
  ],
  healthcheck_curl: [['127.0.0.1:1']],
  healthcheck_filemod: [['/', '1']],
};

/** Not of healthcheck_curl, which becomes the image's curl for words that are no plain GET. */
const OFTEN: readonly (readonly string[])[] = [['--version'], ['--help'], ['--no-such-option']];

const [name = ''] = process.argv.slice(2);
const scripts = new Map<string, Script>();
const loader = createLoader(scriptOf, builtin);
await (Object.hasOwn(LIBRARIES, name) ? rehearseLibrary(name, loader.library(name)) : workAsHelper());
writeFileSync(assetNames(name).cache, scriptOf(name).createCachedData());
// eslint-disable-next-line unicorn/no-process-exit -- what a library left open must not hold the build
process.exit(0);

async function workAsHelper(): Promise<void> {
  const helper = loader.helper(name);
  const early = loader.libraries();
  if (early.length > 0)
    throw new Error(`${name} would load ${early.join(' and ')} at each start: let what needs it be an import()`);
  await helper.warm();
  await rehearse(helper);
  for (const argv of [...(name === 'healthcheck_curl' ? [] : OFTEN), ...(USUAL_WORK[name] ?? [])])
    await helper.main([...argv], {});
}

/** Each once: a cache covers what its own script has compiled. */
function scriptOf(wanted: string): Script {
  const { source } = assetNames(wanted);
  const script = scripts.get(wanted) ?? new Script(readFileSync(source, 'latin1'), { filename: `/${source}` });
  scripts.set(wanted, script);
  return script;
}

function builtin(id: string): unknown {
  const module = process.getBuiltinModule(id);
  if (module === undefined) throw new Error(`${name} requires ${id}, which is not in its bundle`);
  return module;
}
