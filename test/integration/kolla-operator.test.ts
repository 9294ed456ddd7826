import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpenStackService } from '../../src/operator/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { condition, isReady, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());

describe('kolla-operator and one service', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('service', ['keystone', 'glance', 'heat', 'horizon', 'cinder']);
    await site.operator(['--controllers', 'service']);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = (name: string, what: string, is: (service: OpenStackService) => boolean) =>
    site.seen<OpenStackService>('OpenStackService', name, what, is);

  test('is installed by helm, and ready when its Pods are', async () => {
    site.fate = () => 'hold';
    await site.create('OpenStackService', 'keystone', { release: '2025.1' });
    const rolling = await seen('keystone', 'rolling out', ({ status }) => status?.phase === 'RollingOut');
    assert.equal(condition(rolling, 'Ready')?.status, 'False');
    assert.match(rolling.status?.message ?? '', /^deployment\/keystone: 0 of 1 (?:updated|available)/);
    site.fate = usualFate;
    const { status } = await seen('keystone', 'ready', isReady);
    assert.equal(status?.release, '2025.1');
    assert.equal(status?.helm?.chart, 'keystone-1.0.0');
    assert.deepEqual(await site.history('keystone'), ['1 deployed']);
  });

  test('is upgraded: the Job before it, then the workload', async () => {
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    const { status } = await seen('keystone', 'ready at 2025.2', (service) => isReady(service) && service.status?.release === '2025.2');
    assert.equal(status?.helm?.revision, 2);
    assert.deepEqual(site.steps, ['expand:2025.2']);
    assert.deepEqual(await site.history('keystone'), ['1 superseded', '2 deployed']);
  });
});
