/**
 * Run by the binary's own base node, once per bundle, in the directory of all bundles: `node ... build/warm.ts NAME`. Runs
 * the code of the command's start and of its usual work, or of a library's, then saves V8's code cache of everything
 * compiled so far.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
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

/**
 * Command lines that every command accepts, except healthcheck_curl: it executes the image's curl for arguments other
 * than a plain GET.
 */
const OFTEN: readonly (readonly string[])[] = [['--version'], ['--help'], ['--no-such-option']];

// A function keeps a bit that says whether Sparkplug has compiled it, which depends on the load of the machine: two builds
// would differ. The flag is part of V8's flag hash, to which the cache is bound, so it is off only while the code runs.
setFlagsFromString('--no-sparkplug');

const [name = ''] = process.argv.slice(2);
const scripts = new Map<string, Script>();
const loader = createLoader(scriptOf, builtin);
await (Object.hasOwn(LIBRARIES, name) ? rehearseLibrary(name, loader.library(name)) : workAsHelper());
setFlagsFromString('--sparkplug');
writeFileSync(assetNames(name).cache, scriptOf(name).createCachedData());
// eslint-disable-next-line unicorn/no-process-exit -- handles left open by a library must not keep the build alive
process.exit(0);

async function workAsHelper(): Promise<void> {
  const helper = loader.helper(name);
  const early = loader.libraries();
  if (early.length > 0)
    throw new Error(`${name} would load ${early.join(' and ')} at each start: load it by import() where it is needed`);
  await helper.warm();
  await rehearse(helper);
  for (const argv of [...(name === 'healthcheck_curl' ? [] : OFTEN), ...(USUAL_WORK[name] ?? [])])
    await helper.main([...argv], {});
}

/** The script of a bundle, created only once: a cache covers only code compiled by its own script. */
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
