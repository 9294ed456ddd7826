import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane, endPodsOf, startControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { processesWith } from '../support/left-over.ts';
import { start, tied, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { startInit } from './waiting.ts';

const NAMESPACE = 'openstack';

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

describe('kolla-init on a real API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: ControlPlane;
  let admin: string[];
  before(async () => {
    cluster = await startControlPlane();
    admin = ['--kubeconfig', cluster.kubeconfig];
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  });
  after(async () => await cluster[Symbol.asyncDispose]());
  const create = (name: string) => cluster.kubectl(['create', '--filename=-'], jobNamed(name));
  const waitFor = (job: string) => ['--wait', `job/${job}@${NAMESPACE}`];

  /** A kubeconfig of a ServiceAccount that may do this with Jobs, or with one of them. */
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

  test('it waits for a Job that does not exist yet, until it is Complete', async () => {
    await using waiting = await startInit([...admin, ...waitFor('later')]);
    await waiting.said(/no such Job in namespace openstack yet/);
    await create('later');
    await waiting.said(/later@openstack: 1 active/);
    await endPodsOf(cluster, NAMESPACE, 'later', 'Succeeded');
    assert.equal(await waiting.ended, 0);
    assert.match(waiting.messages().at(-2) ?? '', /met after .*: Complete/);
  });

  test('a Job that was Complete before is met at once', async () => {
    await using waiting = await startInit([...admin, ...waitFor('later')]);
    assert.equal(await waiting.ended, 0);
    assert.ok(!waiting.messages().some((message) => message.includes('no such Job')));
  });

  describe('each with a Job of its own', { concurrency: 3 }, () => {
    test('a Job that fails ends the wait with its reason', async () => {
      await create('failing');
      await using waiting = await startInit([...admin, ...waitFor('failing')]);
      await waiting.said(/1 active/);
      await endPodsOf(cluster, NAMESPACE, 'failing', 'Failed');
      assert.equal(await waiting.ended, 69);
      assert.match(waiting.messages().at(-1) ?? '', /BackoffLimitExceeded.*kubectl -n openstack logs job\/failing/);
    });

    test('a Role that names the one Job is enough to watch it', async () => {
      const credentials = await account('named', 'get,watch', 'named-job');
      await using waiting = await startInit([...credentials, ...waitFor('named-job')]);
      await waiting.said(/no such Job/);
      await create('named-job');
      await endPodsOf(cluster, NAMESPACE, 'named-job', 'Succeeded');
      assert.equal(await waiting.ended, 0);
      assert.ok(!waiting.messages().some((message) => message.includes('may not watch')));
    });

    test('who may only get polls, and says so once', async () => {
      const credentials = await account('getter', 'get');
      await using waiting = await startInit([...credentials, ...waitFor('polled'), ...waitFor('polled-too')]);
      await waiting.said(/job\/polled@openstack: no such Job/);
      await Promise.all(['polled', 'polled-too'].map(create));
      await Promise.all(['polled', 'polled-too'].map((name) => endPodsOf(cluster, NAMESPACE, name, 'Succeeded')));
      assert.equal(await waiting.ended, 0);
      assert.deepEqual(
        waiting.messages().filter((message) => message.includes('may not')),
        [
          'system:serviceaccount:openstack:getter may not watch jobs.batch in namespace openstack: asking every 2 s instead; add the verb watch to its Role',
        ],
      );
    });

    test('without rights it ends with 77 and a Role that, applied, is enough', async () => {
      const credentials = await account('nobody', '');
      await using refused = await startInit([...credentials, ...waitFor('later')]);
      assert.equal(await refused.ended, 77);
      const message = refused.messages().at(-1) ?? '';
      await cluster.kubectl(['apply', '--filename=-'], message.slice(message.indexOf('\n') + 1));
      await until('the API server to know the Role', async () => {
        await using waiting = await startInit([...credentials, ...waitFor('later')]);
        return (await waiting.ended) === 0 || undefined;
      });
    });

    test('the deadline is 75 and says what was last seen', async () => {
      await using waiting = await startInit([...admin, ...waitFor('never'), '--timeout', '8s']);
      assert.equal(await waiting.ended, 75);
      assert.match(
        waiting.messages().at(-1) ?? '',
        /job\/never@openstack \(no such Job in namespace openstack yet, for .*; next: kubectl -n openstack describe job\/never\)/,
      );
    });

    test('SIGTERM ends a quiet watch with 143', async () => {
      await using waiting = await startInit([...admin, ...waitFor('never')]);
      await waiting.said(/no such Job/);
      process.kill(waiting.running.pid, 'SIGTERM');
      assert.equal(await waiting.ended, 143);
    });
  });

  // The last: it takes the API server that the others use.
  test('an API server that is killed and comes back is survived', async () => {
    await using waiting = await startInit([...admin, ...waitFor('through')]);
    await waiting.said(/no such Job/);
    const restart = await killApiServer(cluster);
    await waiting.said(/API server: /);
    await using server = await restart();
    await until('the API server to answer', () => create('through').catch(() => undefined));
    await endPodsOf(cluster, NAMESPACE, 'through', 'Succeeded');
    assert.equal(await waiting.ended, 0);
    assert.ok(server.pid > 0);
  });
});

/** Ends the cluster's API server as a crash does; the result starts it again as it was started. */
async function killApiServer(cluster: ControlPlane): Promise<() => Promise<Running>> {
  const words = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const pid = processesWith(cluster.folder).find((each) => words(each).includes('kube-apiserver'));
  assert.ok(pid);
  const [command = '', ...args] = words(pid);
  process.kill(pid, 'SIGKILL');
  await until('the API server to be gone', () =>
    Promise.resolve(processesWith(cluster.folder).includes(pid) ? undefined : true),
  );
  return () =>
    start(...tied(command, args), {
      env: { PATH: process.env['PATH'], HOME: cluster.folder },
      logFile: join(cluster.folder, 'log/kube-apiserver-2.log'),
    });
}
