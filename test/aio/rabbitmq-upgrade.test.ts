/**
 * The chart rabbitmq with three nodes of real versions, on a real node: an upgrade that RabbitMQ does not support is refused before
 * any Pod is replaced, and without Helm's hooks by the first Pod, while the others serve; a rollback brings that node back. RabbitMQ
 * 4.3 is rolled under RPC calls of oslo.messaging.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { packageChart } from '../../build/charts.ts';
import { firstLacking } from '../../tools/capability.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canBuildCoredns, canRunNode, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { infrastructureImages } from '../cluster/infrastructure-image.ts';
import { canRunRabbitmq } from '../cluster/rabbitmq.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { RABBITMQ_VERSIONS, type RabbitmqVersion } from '../cluster/server-versions.ts';
import { fileLimit } from '../support/file-limit.ts';
import { until } from '../support/until.ts';
import { startRpcLoad } from './rpc-load.ts';
import { makeVolume } from './stage.ts';

fileLimit(60);

const skip = (await firstLacking([canRunNode, canBuildCoredns, canRunHelm, canRunRabbitmq])) ?? false;
const REGISTRY = 'kolla-pod.test';
const PASSWORD = 'of-rabbitmq';
const NODES = [0, 1, 2] as const;
const LAST = NODES.length - 1;

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: {
    readonly podIP?: string;
    readonly initContainerStatuses?: readonly {
      readonly name: string;
      readonly state: State;
      readonly lastState: State;
    }[];
  };
}
interface State {
  readonly terminated?: { readonly exitCode: number; readonly message?: string };
}

describe('upgrades of the chart rabbitmq', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let node: KubeNode;
  let directory: string;
  let chart: string;

  before(async () => {
    directory = stack.use(await privateDirectory('aio-rabbitmq')).path;
    const images = join(directory, 'images.tar');
    const references = Object.fromEntries(
      Object.keys(RABBITMQ_VERSIONS).map((version) => [`rabbitmq-${version}`, `${REGISTRY}/rabbitmq:${version}`]),
    );
    await infrastructureImages(images, references, (await podBinary()).binary);
    node = stack.use(await startNode({ images: [images], dns: true }));
    chart = packageChart('rabbitmq', directory);
  });
  after(async () => await stack.disposeAsync());

  /** One cluster in a namespace of its own, removed at the end: three nodes need the machine's memory. */
  async function cluster(name: string) {
    await node.kubectl(['create', 'namespace', name]);
    await node.kubectl(['label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted']);
    for (const ordinal of NODES) await makeVolume(node, directory, { namespace: name, name: 'rabbitmq', ordinal });
    const kubectl = async (...args: string[]) => await node.kubectl(['--namespace', name, ...args]);
    const pods = async () => {
      const text = await kubectl('get', 'pods', '--selector=app.kubernetes.io/component=rabbitmq', '--output=json');
      return (JSON.parse(text) as { items: Pod[] }).items;
    };
    const run = async (words: readonly string[]) =>
      await helm(directory, [...words, '--namespace', name], node.kubeconfig);
    const values = async (tag: RabbitmqVersion, more: object = {}) => {
      const global = {
        registry: REGISTRY,
        tag,
        kollaPod: { delivery: 'baked' },
        storageClass: 'aio',
        passwords: { rabbitmq_password: PASSWORD, rabbitmq_cluster_cookie: 'of-cookie' },
      };
      const file = join(directory, `${name}-${tag}.json`);
      await writeFile(file, JSON.stringify({ global, workloads: { rabbitmq: { replicas: NODES.length } }, ...more }));
      return ['--values', file];
    };
    const api = async (index: number, path: string, method = 'GET'): Promise<unknown> => {
      const address = (await pods()).find(({ metadata }) => metadata.name === `rabbitmq-${index}`)?.status.podIP;
      const port = await node.reach(15_672, address);
      const reply = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        method,
        headers: { authorization: `Basic ${btoa(`openstack:${PASSWORD}`)}`, connection: 'close' },
      });
      assert.ok(reply.ok, `${path}: ${reply.status}`);
      return method === 'GET' ? await reply.json() : undefined;
    };
    const running = async (index: number) =>
      ((await api(index, '/nodes')) as { running: boolean }[]).filter((one) => one.running).length;
    return {
      kubectl,
      pods,
      run,
      values,
      api,
      running,
      uids: async () => (await pods()).map(({ metadata }) => metadata.uid).toSorted(),
      async install(tag: RabbitmqVersion) {
        const { code, stderr } = await run([
          'install',
          'rabbitmq',
          chart,
          ...(await values(tag)),
          '--wait',
          '--timeout',
          '30m',
        ]);
        assert.equal(code, 0, `${stderr}${await kubectl('get', 'pods')}`);
        await this.isWhole();
      },
      /** Resolves when each node reports all three. */
      async isWhole() {
        await until('all nodes to form one cluster', async (saw) => {
          const seen = await Promise.all(NODES.map(async (index) => await running(index).catch(String)));
          saw(seen);
          return seen.every((count) => count === NODES.length) || undefined;
        });
      },
      /** What each node has recorded on its volume, once all have. */
      async recorded() {
        return await until('the versions to be recorded', async (saw) => {
          const read = async (index: number) =>
            (
              await kubectl(
                'exec',
                `rabbitmq-${index}`,
                '--container=rabbitmq',
                '--',
                'cat',
                '/var/lib/rabbitmq/version',
              )
            ).trim();
          const found = await Promise.all(NODES.map(async (index) => await read(index).catch(String)));
          saw(found);
          return found.every((text) => /^\d/.test(text)) ? [...new Set(found)] : undefined;
        });
      },
      async remove() {
        await kubectl('delete', 'statefulset,job,pod', '--all', '--grace-period=1');
      },
    };
  }

  const patchOf = (version: RabbitmqVersion) => RABBITMQ_VERSIONS[version].pin.replace(/-.*/, '');

  for (const [from, to, way] of [
    ['3.10', '4.0', '3.10 -> 3.11 -> 3.12 -> 3.13 -> 4.0'],
    ['4.0', '4.3', '4.0 -> 4.2 -> 4.3'],
  ] as const satisfies readonly (readonly [RabbitmqVersion, RabbitmqVersion, string])[])
    test(`${from} -> ${to} is refused by Helm's hook, and without it by the first Pod; the cluster serves, and goes back`, async () => {
      const site = await cluster(`from-${from.replace('.', '-')}`);
      await site.install(from);
      assert.deepEqual(await site.recorded(), [patchOf(from)]);
      await site.api(0, '/vhosts/kept', 'PUT');
      const uids = await site.uids();

      const hooked = await site.run(['upgrade', 'rabbitmq', chart, ...(await site.values(to)), '--timeout', '10m']);
      assert.notEqual(hooked.code, 0);
      assert.match(hooked.stderr, /pre-upgrade hooks failed/);
      const job = await site.kubectl(
        'logs',
        '--selector=app.kubernetes.io/component=prepare',
        '--container=prepare',
        '--tail=-1',
      );
      assert.ok(job.includes(`nothing was changed`) && job.includes(`upgrade in steps: ${way};`), job);
      assert.deepEqual(await site.uids(), uids);
      await site.isWhole();

      const forced = await site.run(['upgrade', 'rabbitmq', chart, ...(await site.values(to)), '--no-hooks']);
      assert.equal(forced.code, 0, forced.stderr);
      const message = await until('the first Pod to refuse', async (saw) => {
        const pod = (await site.pods()).find(({ metadata }) => metadata.name === `rabbitmq-${LAST}`);
        const check = pod?.status.initContainerStatuses?.find(({ name }) => name === 'start-check');
        saw(check);
        return (check?.state.terminated ?? check?.lastState.terminated)?.message;
      });
      assert.ok(message.includes('its data is unchanged') && message.includes(`upgrade in steps: ${way};`), message);
      assert.ok(message.includes(`${patchOf(from)} -> ${patchOf(to)}`), message);
      const others = (await site.uids()).filter((uid) => uids.includes(uid));
      assert.equal(others.length, LAST);
      for (const index of [0, 1]) assert.equal(await site.running(index), LAST);
      await site.api(1, '/vhosts/while-refused', 'PUT');

      const back = await site.run(['rollback', 'rabbitmq', '1', '--no-hooks']);
      assert.equal(back.code, 0, back.stderr);
      await site.isWhole();
      for (const vhost of ['kept', 'while-refused']) await site.api(LAST, `/vhosts/${vhost}`);
      assert.deepEqual((await site.uids()).filter((uid) => uids.includes(uid)).toSorted(), others.toSorted());
      await site.remove();
    });

  test('4.3 is rolled, by a changed template, while every call of oslo.messaging is answered', async () => {
    const site = await cluster('rolled');
    await site.install('4.3');
    const service = await site.kubectl('get', 'service', 'rabbitmq', '--output=jsonpath={.spec.clusterIP}');
    const port = await node.reach(5672, service.trim());
    await using load = await startRpcLoad(`rabbit://openstack:${PASSWORD}@127.0.0.1:${port}//`, directory);
    await load.answered();
    const uids = await site.uids();
    const changed = await site.values('4.3', { settings: { conf: { channel_max: '2000' } } });
    const { code, stderr } = await site.run(['upgrade', 'rabbitmq', chart, ...changed]);
    assert.equal(code, 0, stderr);
    await site.kubectl('rollout', 'status', 'statefulset/rabbitmq', '--timeout=30m');
    await site.isWhole();
    await load.answered();
    assert.deepEqual(
      (await site.uids()).filter((uid) => uids.includes(uid)),
      [],
    );
    const calls = await load.calls();
    console.log(`calls: ${calls.length}; longest: ${Math.max(...calls.map(({ seconds }) => seconds))} s`);
    assert.deepEqual(
      calls.filter(({ ok }) => !ok),
      [],
    );
    assert.deepEqual(await site.recorded(), [patchOf('4.3')]);
    await site.remove();
  });
});
