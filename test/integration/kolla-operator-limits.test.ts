import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { KubeObject } from '../../src/kube/index.ts';
import type { OpenStack, OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { condition, isReady, makeChart, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());

/** The children of a process. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

describe('the limits of Helm', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  let other: OperatorSite;
  before(async () => {
    site = await operatorSite('limits', ['keystone', 'placement']);
    other = await operatorSite('registry', []);
  });
  after(async () => {
    await site?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
  });

  const seen = (name: string, what: string, is: (service: OpenStackService) => boolean) =>
    site.seen<OpenStackService>('OpenStackService', name, what, is);
  const killed = (service: OpenStackService) => condition(service, 'Degraded')?.reason === 'HelmKilled';

  test('a Helm that stops moving is killed at its deadline, and the next one upgrades the service', async () => {
    const operator = await site.operator(['--controllers', 'service', '--helm-deadline', '2s']);
    await site.create('OpenStackService', 'keystone', { release: '2025.1', timeout: '1m' });
    await seen('keystone', 'ready', isReady);
    let helm: number | undefined;
    site.fate = (pod) => {
      if (!pod.metadata.name.startsWith('keystone-expand')) return usualFate(pod);
      // Its own timeout is no help: it is stopped as soon as it waits for this Pod.
      if (helm === undefined) {
        helm = childrenOf(operator.pid)[0] ?? assert.fail();
        process.kill(helm, 'SIGSTOP');
      }
      return 'hold';
    };
    await site.patch('OpenStackService', 'keystone', { release: '2025.2', timeout: '28s' });
    const stopped = await until('its Helm to be stopped', () => helm);
    // Helm's record, from the API server: another Helm might take until the next attempt.
    const record = `/api/v1/namespaces/${site.namespace}/secrets/sh.helm.release.v1.keystone.v2`;
    const recorded = async () => (await site.request<KubeObject>('GET', record)).metadata.labels?.['status'];
    assert.equal(await recorded(), 'pending-upgrade');
    const { status } = await seen('keystone', 'killed', killed);
    assert.match(status?.message ?? '', /^helm was killed: not finished after 30s \(--helm-deadline\)/);
    assert.throws(() => process.kill(stopped, 0), { code: 'ESRCH' });
    site.fate = usualFate;
    await seen('keystone', 'ready at 2025.2', (one) => isReady(one) && one.status?.release === '2025.2');
    assert.deepEqual((await site.history('keystone')).slice(-2), ['2 failed', '3 deployed']);
    await operator.stop();
  });

  test('a Helm that uses more memory than its limit is killed, and the condition says so', async () => {
    const operator = await site.operator(['--controllers', 'service', '--helm-memory-bytes', '8388608']);
    await site.create('OpenStackService', 'placement', { release: '2025.1' });
    const { status } = await seen('placement', 'killed', killed);
    assert.match(status?.message ?? '', /^helm was killed: it used \d+ MiB of memory, more than 8 MiB/);
    await operator.stop();
    const next = await site.operator(['--controllers', 'service']);
    await seen('placement', 'ready', isReady);
    await next.stop();
  });

  test('values or a record that are too large are a condition of their service, and the others go on', async () => {
    const { namespace, cluster } = site;
    const apply = async (kind: string, name: string, more: object) => {
      const object = { apiVersion: 'v1', kind, metadata: { name, namespace }, ...more };
      await cluster.kubectl(['apply', '--server-side', '--filename', '-'], JSON.stringify(object));
    };
    const text = `text: &text "${'x'.repeat(100_000)}"\ntexts: [${Array(50).fill('*text').join(', ')}]\n`;
    await apply('ConfigMap', 'large', { data: { 'values.yaml': text } });
    const packed = gzipSync(JSON.stringify({ info: { status: 'deployed' }, manifest: ' '.repeat(17 * 2 ** 20) }));
    const release = Buffer.from(packed.toString('base64')).toString('base64');
    await apply('Secret', 'sh.helm.release.v1.cinder.v1', { type: 'helm.sh/release.v1', data: { release } });
    for (const name of ['cinder', 'neutron', 'glance']) makeChart(site.charts, name);
    await site.create('OpenStackService', 'cinder', { release: '2025.1' });
    await site.create('OpenStackService', 'neutron', {
      release: '2025.1',
      valuesFrom: [{ kind: 'ConfigMap', name: 'large' }],
    });
    await site.create('OpenStackService', 'glance', { release: '2025.1' });
    const operator = await site.operator(['--controllers', 'service', '--max-concurrent-reconciles', '1']);
    const degraded = async (name: string) => {
      const service = await seen(name, 'degraded', (one) => condition(one, 'Degraded')?.status === 'True');
      return [condition(service, 'Degraded')?.reason, service.status?.message];
    };
    assert.deepEqual(await degraded('cinder'), [
      'InvalidRecord',
      "Helm's record in Secret sh.helm.release.v1.cinder.v1 can't be read: larger than 16777216 bytes; delete it to use the one before it",
    ]);
    assert.deepEqual(await degraded('neutron'), [
      'InvalidValues',
      'ConfigMap large, values.yaml: not valid YAML: more than 4 MiB with its aliases expanded',
    ]);
    await seen('glance', 'ready', isReady);
    await cluster.kubectl(['delete', 'secret', 'sh.helm.release.v1.cinder.v1', `--namespace=${namespace}`]);
    await seen('cinder', 'ready', isReady);
    await operator.stop();
  });

  test('a registry that never responds holds no service and no preflight for longer than the deadline', async (t) => {
    const registry = createServer();
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    t.after(() => registry.close());
    const { port } = registry.address() as AddressInfo;
    await other.operator([
      '--charts',
      `oci://127.0.0.1:${port}/charts`,
      '--max-concurrent-reconciles',
      '1',
      '--helm-deadline',
      '3s',
    ]);
    for (const name of ['glance', 'heat'])
      await other.create('OpenStackService', name, { release: '2025.1', timeout: '1s', chart: { version: '1.0.0' } });
    for (const name of ['glance', 'heat']) {
      const { status } = await other.seen<OpenStackService>('OpenStackService', name, 'killed', killed);
      assert.match(status?.message ?? '', /not finished after 4s/);
    }
    const services = { glance: { version: '1.0.0' }, heat: { version: '1.0.0' } };
    await other.create('OpenStack', 'cloud', { release: '2025.2', timeout: '1s', services });
    const failed = await other.seen<OpenStack>(
      'OpenStack',
      'cloud',
      'its preflight has failed',
      (cloud) => condition(cloud, 'Preflight')?.reason === 'ChartFails',
    );
    assert.match(condition(failed, 'Preflight')?.message ?? '', /glance: helm was killed: not finished after 6s/);
  });
});
