/** kolla-core, without a kolla-pod next to it, and real servers: the same tests as for Node's engine. */
import { describe, test } from 'node:test';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunGalera } from '../cluster/galera.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunRabbitmq } from '../cluster/rabbitmq.ts';
import { canHaveSides } from '../contract/healthcheck/sides.ts';
import { passesOnCore } from '../support/core-files.ts';
import { fileLimit } from '../support/file-limit.ts';

// Each of the files has a limit of its own.
fileLimit(90);

const FILES = [
  'contract/healthcheck-servers',
  ...[
    'kolla-init',
    'kolla-probe-caches',
    'kolla-probe-rabbitmq',
    'kube-access',
    'kube-credentials',
    'kube-faults',
    'rbac',
    'waits',
    'waits-meaning',
    'waits-reasons',
    'waits-servers',
  ].map((name) => `integration/${name}`),
];
const missing = [canBuildCore, canRunControlPlane, canRunRabbitmq, canRunGalera, canHaveSides];
const skip = (await Promise.all(missing.map((can) => can()))).find((reason) => reason !== undefined) ?? false;

// They mostly wait for servers.
describe('with kolla-core alone', { skip, concurrency: 2 }, () => {
  for (const name of FILES) test(name, () => passesOnCore(name, 'alone'));
  // One row compares with the original, if that is installed.
  test('kubernetes-entrypoint', () => passesOnCore('integration/kubernetes-entrypoint', 'alone', 1));
});
