/** Runs test files, which by themselves test our functions or kolla-pod, with the commands of kolla-core. */
import { describe, test } from 'node:test';
import { canBuildCore, isSanitized } from '../cluster/core-binary.ts';
import { run } from '../../tools/process.ts';
import { fileLimit } from '../support/file-limit.ts';
import { passesOnCore } from '../support/core-files.ts';

fileLimit(40);

const SET_CONFIGS = ['check-differs', 'command', 'differs', 'kill', 'limits', 'links', 'patterns', 'property'];
const PROBE = [
  'checks/command',
  'checks/http',
  'checks/local',
  'checks/mysql',
  'checks/tcp',
  'checks/tls',
  'checks/tls-modes',
  'kolla/local',
];
/** Which the file itself reports, on Node. */
const { code: cannotUnshare } = await run('unshare', [
  '--user',
  '--map-root-user',
  '--mount',
  '--pid',
  '--fork',
  'true',
]);
const PROBE_LOCAL = ['config', 'local', 'log-ship', 'port', 'unseen'];
const WITH_SERVERS = ['sidecar', 'log-ship-blocked', 'log-ship-files'].map((name) => `integration/kolla-${name}`);
const FILES = [
  ...SET_CONFIGS.map((name) => `contract/set-configs/${name}`),
  'contract/healthcheck',
  'contract/healthcheck-curl',
  ...['apply', 'entries', 'refuse', 'seed', 'tracking'].map((name) => `config/${name}`),
  ...['check', 'kolla-init', 'kubernetes-entrypoint', 'live-waits', 'overlays', 'plan'].map(
    (name) => `container/init/${name}`,
  ),
  ...['access', 'chaos', 'discover', 'limits', 'proxy', 'watch', 'watch-set'].map((name) => `kube/${name}`),
  'config/watch/watch-config',
  ...['watch', 'watch-restart', ...(cannotUnshare ? [] : ['watch-kernel'])].map((name) => `container/init/${name}`),
  ...['kinds/https', 'unanswered', 'wait'].map((name) => `wait/${name}`),
  'sidecar/former-name',
  ...['background', 'command', 'hostile', 'once'].map((name) => `logship/${name}`),
  ...[...PROBE, ...PROBE_LOCAL.map((name) => `local/${name}`), 'serve/run'].map((name) => `probe/${name}`),
  // Assert a limit on memory growth, which a sanitizer exceeds; or have real servers, which take most of their time.
  ...(isSanitized ? [] : ['probe/serve/hostile', 'container/init/watch-swaps', ...WITH_SERVERS]),
];
const missing = (await canBuildCore()) ?? (process.geteuid?.() === 0 ? undefined : 'needs root, for chroot');
const skip = missing ?? false;

// Half of the files mostly wait for deadlines and servers.
describe('with kolla-core', { skip, concurrency: 2 }, () => {
  for (const name of FILES) test(name, () => passesOnCore(name, '1'));
});
