/** kolla-init restart on a real API server with the real controllers. Pods do not run here. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const NAMESPACE = namespaceName('restart');
const API = 'nova-api';

describe('kolla-init restart, against a real API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  before(async () => {
    cluster = await sharedControlPlane();
    await cluster.createNamespace(NAMESPACE);
    await kubectl('create', 'deployment', API, '--image=none.test/api:1');
  });
  after(async () => await cluster[Symbol.asyncDispose]());

  /** Runs it as an account with these verbs on the Deployment. */
  async function restartAs(name: string, verbs: string, ...workloads: string[]) {
    await kubectl('create', 'serviceaccount', name);
    await kubectl('create', 'role', name, `--verb=${verbs}`, '--resource=deployments.apps', `--resource-name=${API}`);
    await kubectl('create', 'rolebinding', name, `--role=${name}`, `--serviceaccount=${NAMESPACE}:${name}`);
    const as = `--as=system:serviceaccount:${NAMESPACE}:${name}`;
    await until(`${name} to be allowed to ${verbs}`, async () => {
      return (
        (await kubectl('auth', 'can-i', verbs, `deployments.apps/${API}`, as).catch(String)).startsWith('yes') ||
        undefined
      );
    });
    const kubeconfig = await cluster.kubeconfigOf(NAMESPACE, name);
    const { code, stderr } = await runHelper('kolla-init', [
      'restart',
      '--kubeconfig',
      kubeconfig,
      ...workloads.map((workload) => `${workload}@${NAMESPACE}`),
    ]);
    return { code, said: logLines(stderr) };
  }

  test('a restart is a rollout, for which the verb patch on the workload is enough', async () => {
    const revision = async () =>
      await kubectl(
        'get',
        'deployment',
        API,
        '--output=jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}',
      );
    await until('the first revision', async () => (await revision()) === '1' || undefined);
    const { code, said } = await restartAs('allowed', 'patch', `deployment/${API}`);
    assert.equal(code, 0, JSON.stringify(said));
    await until('a second revision', async () => (await revision()) === '2' || undefined);
    const template = await kubectl('get', 'deployment', API, '--output=jsonpath={.spec.template.metadata.annotations}');
    assert.match(template, /kubectl\.kubernetes\.io\/restartedAt/);
  });

  test('a workload that does not exist is skipped, with a warning', async () => {
    const { code, stderr } = await runHelper('kolla-init', [
      'restart',
      `--kubeconfig=${cluster.kubeconfig}`,
      `deployment/absent@${NAMESPACE}`,
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /deployment\/absent@\S+ does not exist: nothing to restart/);
  });

  test('without the verb it ends with 77 and names what its Role lacks', async () => {
    const { code, said } = await restartAs('denied', 'get', `deployment/${API}`);
    assert.equal(code, 77);
    assert.match(JSON.stringify(said), /add the verb patch on deployments\.apps 'nova-api' to its Role/);
  });

  test('nothing is restarted if one of the words is no workload', async () => {
    const { code, stderr } = await runHelper('kolla-init', ['restart', `deployment/${API}`, 'job/sync']);
    assert.equal(code, 64);
    assert.match(stderr, /WORKLOAD 'job\/sync': 'job' has no rollout/);
  });
});
