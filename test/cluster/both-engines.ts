/** kolla-probe on both engines: Node and kolla-core. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { runHelper } from '../support/helper.ts';
import { verdict } from '../support/probe-verdict.ts';
import { coreBinary } from './core-binary.ts';

export interface OnEngine {
  readonly name: string;
  /** The exit code and the reason, without the time. */
  readonly ask: (words: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string>;
}

/** kolla-core alone, so that nothing can be delegated to kolla-pod; until this process exits. */
const core = (async () => {
  const { path } = await privateDirectory('core-alone', inMemory());
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return await coreBinary(path);
})();
core.catch(() => {}); // reported by those who await it, and by canBuildCore()

export const ENGINES: readonly OnEngine[] = [
  { name: 'Node', ask: async (words, env = {}) => verdict(await runHelper('kolla-probe', words, { env })) },
  {
    name: 'kolla-core',
    ask: async (words, env = {}) => {
      const probe = join((await core).names, 'kolla-probe');
      const own = { PATH: process.env['PATH'], KOLLA_PROBE_TIMEOUT: '30s', ...env };
      return verdict(await run(probe, words, { env: own }));
    },
  },
];
