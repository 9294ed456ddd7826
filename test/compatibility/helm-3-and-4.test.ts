/** A release that passes from Helm 3 to Helm 4 and back, and the operator that reads the records of both. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { newestRelease } from '../../src/operator/helm/release.ts';
import type { OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm, helm, helmBinary, type HelmMajor } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { isReady, operatorSite, type OperatorSite } from '../integration/kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunHelm('3')) ?? (await canRunControlPlane());

describe('a release of Helm 3 and 4', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('helms', ['keystone', 'glance', 'heat']);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const run = async (major: HelmMajor, name: string, tag: string) => {
    const words = ['upgrade', '--install', name, join(site.charts, name), `--namespace=${site.namespace}`];
    const set = ['--set=hook=false', `--set-string=global.tag=${tag}`];
    const { code, stderr } = await helm(site.directory, [...words, ...set], site.cluster.kubeconfig, major);
    assert.equal(code, 0, stderr);
  };
  /** How Helm has applied a revision, as it is recorded. */
  const methodOf = async (name: string, revision: number) => {
    const path = `/api/v1/namespaces/${site.namespace}/secrets/sh.helm.release.v1.${name}.v${revision}`;
    const { data } = await site.request<{ data: { release: string } }>('GET', path);
    const packed = Buffer.from(Buffer.from(data.release, 'base64').toString(), 'base64');
    return (JSON.parse(gunzipSync(packed).toString()) as { apply_method?: string }).apply_method;
  };
  const read = async (name: string) => {
    const found = await newestRelease(site.client, { namespace: site.namespace, name }, 0, AbortSignal.timeout(60_000));
    const { revision, status, values, isServerSide, objects } = found ?? assert.fail();
    const { tag } = values['global'] as { tag: string };
    return [revision, status, tag, isServerSide, objects.map(({ kind }) => kind).join()];
  };

  for (const [name, steps, methods] of [
    ['keystone', ['3', '4', '3', '4'], [undefined, 'csa', undefined, 'csa']],
    ['glance', ['4', '3', '4'], ['ssa', undefined, 'csa']],
  ] as const)
    test(`${steps.join(' -> ')}: each upgrade succeeds, and the operator reads each record`, async () => {
      for (const [i, major] of steps.entries()) {
        await run(major, name, `tag-${i}`);
        assert.equal(await methodOf(name, i + 1), methods[i], `revision ${i + 1} by Helm ${major}`);
        assert.deepEqual(await read(name), [i + 1, 'deployed', `tag-${i}`, methods[i] === 'ssa', 'Deployment']);
      }
    });

  test('an operator with Helm 4 takes over a release of one with Helm 3, and back', async () => {
    const seen = async (release: string) =>
      await site.seen<OpenStackService>('OpenStackService', 'heat', `ready at ${release}`, (one) => {
        return isReady(one) && one.status?.release === release;
      });
    await site.create('OpenStackService', 'heat', { release: '2025.1' });
    for (const [major, release] of [
      ['3', '2025.1'],
      ['4', '2025.2'],
      ['3', '2026.1'],
    ] as const) {
      await using operator = await site.operator(['--helm', await helmBinary(process.arch, major)]);
      await site.patch('OpenStackService', 'heat', { release });
      await seen(release);
      assert.equal(await operator.stop(), 143);
    }
    assert.deepEqual(await site.history('heat'), ['1 superseded', '2 superseded', '3 deployed']);
  });
});
