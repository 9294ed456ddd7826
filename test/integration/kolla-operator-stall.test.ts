import assert from 'node:assert/strict';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '../../src/kube/index.ts';
import type { OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { freePort } from '../../tools/port.ts';
import { run } from '../../tools/process.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { isReady, makeChart, operatorSite, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());

describe('an operator that stops moving', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('stall', ['keystone']);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const holder = async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${site.namespace}/leases/kolla-operator`;
    const lease = await site.request<KubeObject & { spec?: { holderIdentity?: string } }>('GET', path);
    return lease.spec?.holderIdentity ?? '';
  };

  test('fails /livez, releases its Lease and exits with 69', async (t) => {
    const port = await freePort();
    const livez = async (query = '') => {
      const response = await fetch(`http://127.0.0.1:${port}/livez${query}`);
      return { status: response.status, text: await response.text() };
    };
    const args = ['--controllers', 'service', '--listen', `127.0.0.1:${port}`];
    const first = await site.operator(args);
    await site.create('OpenStackService', 'keystone', { release: '2025.1' });
    await site.seen<OpenStackService>('OpenStackService', 'keystone', 'ready', isReady);
    assert.deepEqual(await livez(), { status: 200, text: 'ok\n' });
    assert.notEqual(await holder(), '');
    await first.stop();
    // A file on a file system that never responds.
    const stalled = join(site.charts, 'stalled');
    makeChart(site.charts, 'stalled');
    const file = join(stalled, 'Chart.yaml');
    await rm(file);
    await run('mkfifo', [file], { signal: t.signal });
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    // So short that an installation on a busy machine might count as stalled.
    const operator = await site.operator([...args, '--stall-timeout', '3s']);
    const { text } = await until('/livez to fail', async (saw) => {
      const answer = await livez('?verbose').catch(() => undefined);
      saw(answer);
      return answer?.text.includes('liveness: unhealthy') ? answer : undefined;
    });
    assert.match(text, /^\[-\] operator unhealthy .*: OpenStackService keystone has not moved for 3s$/m);
    assert.equal((await livez()).status, 503);
    await until('the Lease to be free', async () => ((await holder()) === '' ? true : undefined));
    // Ends the read, for which Node waits on exit.
    await (await open(file, 'r+')).close();
    await rm(stalled, { recursive: true });
    assert.equal(await operator.ended, 69);
    await using _ = await site.operator(['--controllers', 'service']);
    await site.seen<OpenStackService>(
      'OpenStackService',
      'keystone',
      'ready at 2025.2',
      (service) => isReady(service) && service.status?.release === '2025.2',
    );
  });
});
