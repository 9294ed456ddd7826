import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { parseWorkload } from '../../../src/kube/rollout-kinds.ts';
import { workloadsOf } from '../../../src/migrate/options/rollout.ts';

for (const [text, expected] of [
  ['deployment/keystone', ['Deployment', 'keystone', undefined]],
  ['deploy/keystone@openstack', ['Deployment', 'keystone', 'openstack']],
  ['statefulsets.apps/rabbit.mq', ['StatefulSet', 'rabbit.mq', undefined]],
  ['ds/nova-compute', ['DaemonSet', 'nova-compute', undefined]],
] as const)
  test(`--after-rollout ${text} is parsed`, () => {
    const { kind, name, namespace } = parseWorkload(text, '--after-rollout');
    assert.deepEqual([kind.kind, name, namespace], expected);
  });

for (const [text, why] of [
  ['keystone', /'keystone': it is KIND\/NAME\[@NAMESPACE\], such as deployment\/keystone/],
  ['deploymnet/keystone', /'deploymnet' has no rollout; did you mean 'deployment'\?/],
  ['job/keystone', /'job' has no rollout; try deployment, statefulset, daemonset/],
  ['deployment/', /'' is not a valid name of a Deployment/],
  ['deployment/Keystone', /'Keystone' is not a valid name/],
  ['deployment/keystone@Open_Stack', /'Open_Stack' is not a valid name of a namespace/],
] as const)
  test(`--after-rollout '${text}' is rejected, with the correct form`, () => {
    assert.throws(
      () => parseWorkload(text, '--after-rollout'),
      (error) => error instanceof UsageError && why.test(error.message),
    );
  });

test('the same workload twice counts once', () => {
  const afterRollout = ['deployment/a', 'deployment/b', 'deployment/a'];
  const texts = workloadsOf({ afterRollout, phase: 'contract', release: '1' }).map(({ text }) => text);
  assert.deepEqual(texts, ['deployment/a', 'deployment/b']);
});

for (const [phase, release, why] of [
  ['all', '1', /--phase all is for while no replica runs/],
  ['expand', '1', /--phase expand comes before the rollout/],
  ['migrate', '1', /--phase migrate comes before the rollout/],
  ['online', '', /--release must name the release rolled out/],
] as const)
  test(`--after-rollout is rejected with --phase ${phase}${release === '' ? ' and no release' : ''}`, () => {
    assert.throws(() => workloadsOf({ afterRollout: ['deployment/a'], phase, release }), why);
  });
