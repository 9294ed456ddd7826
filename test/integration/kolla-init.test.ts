import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane, endPodsOf } from '../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { until } from '../support/until.ts';
import { startInit } from './waiting.ts';

const NAMESPACE = namespaceName('openstack');

function jobNamed(name: string): string {
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      backoffLimit: 0,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'none.test/c:1' }] } },
    },
  });
}

describe('kolla-init on a real API server', { skip: (await canRunControlPlane()) ?? false, concurrency: 3 }, () => {
  let cluster: SharedControlPlane;
  let admin: string[];
  before(async () => {
    cluster = await sharedControlPlane();
    admin = ['--kubeconfig', cluster.kubeconfig];
    await cluster.createNamespace(NAMESPACE);
  });
  after(async () => await cluster[Symbol.asyncDispose]());
  const create = (name: string) => cluster.kubectl(['create', '--filename=-'], jobNamed(name));
  const waitFor = (job: string) => ['--wait', `job/${job}@${NAMESPACE}`];

  /** A kubeconfig for a ServiceAccount that has these verbs on Jobs, or on one of them. */
  async function account(name: string, verbs: string, only?: string): Promise<string[]> {
    const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
    await kubectl('create', 'serviceaccount', name);
    if (verbs !== '') {
      const names = only === undefined ? [] : [`--resource-name=${only}`];
      await kubectl('create', 'role', name, `--verb=${verbs}`, '--resource=jobs.batch', ...names);
      await kubectl('create', 'rolebinding', name, `--role=${name}`, `--serviceaccount=${NAMESPACE}:${name}`);
    }
    return ['--kubeconfig', await cluster.kubeconfigOf(NAMESPACE, name)];
  }

  test('a failed Job ends the wait with its reason', async () => {
    await create('failing');
    await using waiting = await startInit([...admin, ...waitFor('failing')]);
    await waiting.said(/1 active/);
    await endPodsOf(cluster, NAMESPACE, 'failing', 'Failed');
    assert.equal(await waiting.ended, 69);
    assert.match(
      waiting.messages().at(-1) ?? '',
      new RegExp(`BackoffLimitExceeded.*kubectl -n ${NAMESPACE} logs job/failing`),
    );
  });

  test('a Role with resourceNames for the one Job is enough to watch it', async () => {
    const credentials = await account('named', 'get,watch', 'named-job');
    await using waiting = await startInit([...credentials, ...waitFor('named-job')]);
    await waiting.said(/no such Job/);
    await create('named-job');
    await endPodsOf(cluster, NAMESPACE, 'named-job', 'Succeeded');
    assert.equal(await waiting.ended, 0);
    assert.ok(!waiting.messages().some((message) => message.includes('may not watch')));
  });

  test('polls with get permission only, and logs it once', async () => {
    const credentials = await account('getter', 'get');
    await using waiting = await startInit([...credentials, ...waitFor('polled'), ...waitFor('polled-too')]);
    await waiting.said(new RegExp(`job/polled@${NAMESPACE}: no such Job`));
    await Promise.all(['polled', 'polled-too'].map(create));
    await Promise.all(['polled', 'polled-too'].map((name) => endPodsOf(cluster, NAMESPACE, name, 'Succeeded')));
    assert.equal(await waiting.ended, 0);
    assert.deepEqual(
      waiting.messages().filter((message) => message.includes('may not')),
      [
        `system:serviceaccount:${NAMESPACE}:getter may not watch jobs.batch in namespace ${NAMESPACE}: polling every 2 s instead; add the verb watch to its Role`,
      ],
    );
  });

  test('without permissions exits with code 77 and a Role that is sufficient', async () => {
    await create('done');
    await endPodsOf(cluster, NAMESPACE, 'done', 'Succeeded');
    const credentials = await account('nobody', '');
    await using refused = await startInit([...credentials, ...waitFor('done')]);
    assert.equal(await refused.ended, 77);
    const message = refused.messages().at(-1) ?? '';
    await cluster.kubectl(['apply', '--filename=-'], message.slice(message.indexOf('\n') + 1));
    await until('the API server to know the Role', async () => {
      await using waiting = await startInit([...credentials, ...waitFor('done')]);
      return (await waiting.ended) === 0 || undefined;
    });
  });

  test('exits with code 75 at the deadline, whose error names the last state', async () => {
    // More than a busy machine takes to see it.
    await using waiting = await startInit([...admin, ...waitFor('never'), '--timeout', '1m']);
    await waiting.state(`job/never@${NAMESPACE}`, /^no such Job/);
    assert.equal(await waiting.ended, 75);
    assert.match(
      waiting.messages().at(-1) ?? '',
      new RegExp(
        `job/never@${NAMESPACE} \\(no such Job in namespace ${NAMESPACE} yet(?:; if its ttlSecondsAfterFinished .*)?, for .*; next: kubectl -n ${NAMESPACE} describe job/never\\)`,
      ),
    );
  });

  test('SIGTERM ends a quiet watch with 143', async () => {
    await using waiting = await startInit([...admin, ...waitFor('never')]);
    await waiting.said(/no such Job/);
    process.kill(waiting.running.pid, 'SIGTERM');
    assert.equal(await waiting.ended, 143);
  });
});
