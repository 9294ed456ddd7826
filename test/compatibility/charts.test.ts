/**
 * Each chart's release on a real API server: installed by the previous release, upgraded to this one, rolled back, and
 * upgraded again. Jobs that Helm waits for are left out, because no kubelet runs them here.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chartNames, packageChart } from '../../build/charts.ts';
import { firstLacking } from '../../tools/capability.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { GLOBALS } from '../charts/support.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { canRunPrevious, previousChart } from './builds.ts';

const NAMESPACE = namespaceName('upgrade');
const KEPT = 'deployments,statefulsets,daemonsets,services,persistentvolumeclaims';
/** Before 1.0 a minor version may move objects to another chart, as the changelog then lists. */
const MOVED: Readonly<Record<string, RegExp>> = { 'nova-cell': /^DaemonSet\/nova-cell-(compute|libvirt) / };
const skip = (await firstLacking([canRunHelm, canRunControlPlane, canRunPrevious])) ?? false;

describe("releases of the previous release's charts", { skip, concurrency: 2 }, () => {
  let cluster: SharedControlPlane;
  let directory: Directory;
  let values: string;
  before(async () => {
    cluster = await sharedControlPlane();
    directory = await privateDirectory('charts');
    values = join(directory.path, 'values.json');
    await writeFile(values, JSON.stringify({ global: GLOBALS }));
    await cluster.createNamespace(NAMESPACE);
  });
  after(async () => {
    await directory?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const run = async (...args: string[]) => {
    const words = [...args, `--namespace=${NAMESPACE}`, '--no-hooks'];
    const { code, stderr } = await helm(directory.path, words, cluster.kubeconfig);
    assert.equal(code, 0, `helm ${words.join(' ')}: ${stderr}`);
  };
  /** The names of the objects that must not be replaced, with their UIDs. */
  const kept = async (name: string) => {
    const listed = await cluster.kubectl([
      'get',
      KEPT,
      `--namespace=${NAMESPACE}`,
      `--selector=app.kubernetes.io/instance=${name}`,
      '--output=jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\\n"}{end}',
    ]);
    return listed.split('\n').filter((object) => object !== '' && MOVED[name]?.test(object) !== true);
  };

  for (const name of chartNames())
    test(`${name}: upgraded, rolled back and upgraded again, with the same workloads and Services`, async (t) => {
      const [former, next] = [await previousChart(name), packageChart(name, directory.path)];
      if (former === undefined) {
        t.skip(`the previous release has no chart ${name}`);
        return;
      }
      await run('install', name, former, '--values', values);
      const first = await kept(name);
      assert.notDeepEqual(first, []);
      for (const step of [
        ['upgrade', name, next, '--values', values],
        ['rollback', name, '1'],
        ['upgrade', name, next, '--values', values],
      ]) {
        await run(...step);
        const now = await kept(name);
        assert.deepEqual(
          first.filter((object) => !now.includes(object)),
          [],
          step.join(' '),
        );
      }
    });
});
