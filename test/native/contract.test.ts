/** Runs test files, which by themselves test our functions or kolla-pod, with the commands of kolla-core. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canBuildCore, isSanitized } from '../cluster/core-binary.ts';
import { run } from '../../tools/process.ts';
import { fileLimit } from '../support/file-limit.ts';
import { innerFailures } from '../support/inner-failures.ts';

fileLimit(30);

const DIRECTORY = join(import.meta.dirname, '..');
const SET_CONFIGS = ['check-differs', 'command', 'differs', 'kill', 'limits', 'links', 'patterns', 'property'];
const PROBE = ['checks/command', 'checks/http', 'checks/local', 'checks/tcp', 'kolla/local'];
const PROBE_LOCAL = ['config', 'local', 'log-ship', 'port', 'unseen'];
const FILES = [
  ...SET_CONFIGS.map((name) => `contract/set-configs/${name}`),
  'contract/healthcheck',
  'contract/healthcheck-curl',
  ...['apply', 'entries', 'refuse', 'seed', 'tracking'].map((name) => `config/${name}`),
  ...['check', 'kolla-init', 'kubernetes-entrypoint', 'live-waits', 'overlays', 'plan'].map(
    (name) => `container/init/${name}`,
  ),
  ...['unanswered', 'wait'].map((name) => `wait/${name}`),
  ...[...PROBE, ...PROBE_LOCAL.map((name) => `local/${name}`), 'serve/run'].map((name) => `probe/${name}`),
  // Asserts a limit on memory growth, which a sanitizer exceeds.
  ...(isSanitized ? [] : ['probe/serve/hostile']),
];
const missing = (await canBuildCore()) ?? (process.geteuid?.() === 0 ? undefined : 'needs root, for chroot');
const skip = missing ?? false;

// Half of the files mostly wait for deadlines and servers.
describe('with kolla-core', { skip, concurrency: 3 }, () => {
  for (const name of FILES)
    test(name, async () => {
      // Removes the variable that makes a test file report to its parent runner.
      const env: NodeJS.ProcessEnv = { ...process.env, KOLLA_ON_CORE: '1', NODE_TEST_CONTEXT: undefined };
      const { code, stdout } = await run(process.execPath, [join(DIRECTORY, `${name}.test.ts`)], { env });
      assert.equal(code, 0, innerFailures(stdout));
      assert.match(stdout, /^ℹ skipped 0$/m);
    });
});
