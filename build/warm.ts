/**
 * Run by the binary's own base node, once a helper: `node ... build/warm.ts NAME SOURCE CACHE`. Executes what the helper's
 * start and its usual work execute, then saves V8's code cache with all that was compiled meanwhile.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { compileHelper } from './load.ts';
import { rehearse } from './rehearse.ts';

/** Command lines that touch nothing outside the process and end at once: port 1 refuses. */
const USUAL_WORK: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'kolla-probe': [
    ['tcp', '127.0.0.1:1'],
    ['http', 'http://127.0.0.1:1/'],
  ],
  healthcheck_curl: [['127.0.0.1:1']],
  healthcheck_filemod: [['/', '1']],
};

const [name = '', sourceFile = '', cacheFile = ''] = process.argv.slice(2);
const script = new Script(readFileSync(sourceFile, 'latin1'), { filename: `/${name}.js` });
const helper = compileHelper(script, name, builtin);
const { main, warm } = helper;
await warm();
await rehearse(helper);
for (const argv of [['--version'], ['--help'], ['--no-such-option'], ...(USUAL_WORK[name] ?? [])])
  await main([...argv], {});
writeFileSync(cacheFile, script.createCachedData());
// eslint-disable-next-line unicorn/no-process-exit -- what a library left open must not hold the build
process.exit(0);

function builtin(id: string): unknown {
  const module = process.getBuiltinModule(id);
  if (module === undefined) throw new Error(`${name} requires ${id}, which is not in its bundle`);
  return module;
}
