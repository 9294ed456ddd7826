/**
 * The charts mariadb and rabbitmq as three-node clusters, on a real node: bootstrapped, killed together, and recovered;
 * a Galera node that has disconnected is restarted, and one that ends lets its clients
 * finish their transactions.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { createConnection } from 'mysql2/promise';
import { packageChart } from '../../build/charts.ts';
import { helm } from '../../tools/helm.ts';
import { killContainer, startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { FAMILIES, type Addresses } from '../cluster/kubernetes/network.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';
import { aioImages, makeVolume, whyNoCharts } from './stage.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(60);

const skip = (await whyNoCharts()) ?? false;
const NAMESPACE = 'clusters';
const NODES = [0, 1, 2];

const RABBITMQ_PASSWORD = 'of-rabbitmq';

const KINDS = ['mariadb', 'rabbitmq'] as const;
type Kind = (typeof KINDS)[number];

const testsWith = (addresses: Addresses) => (): void => {
  const stack = new AsyncDisposableStack();
  let node: KubeNode;
  let directory: string;
  /** Local ports that are forwarded to a Pod's management API, by the Pod's address. */
  const ports = new Map<string, number>();
  const inNamespace = (args: readonly string[]) => node.kubectl(['--namespace', NAMESPACE, ...args]);
  const kubectl = (...args: string[]) => inNamespace(args);
  const inNode = (kind: Kind, index: number, script: string) =>
    kubectl('exec', `${kind}-${index}`, `--container=${kind}`, '--', 'bash', '-c', script);

  before(async () => {
    directory = stack.use(await privateDirectory('aio-clusters')).path;
    node = stack.use(await startNode({ addresses, stored: await aioImages(), dns: true }));
    await node.kubectl(['create', 'namespace', NAMESPACE]);
    await node.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
  });
  after(async () => await stack.disposeAsync());

  for (const kind of KINDS)
    test(`three nodes of ${kind} form one cluster, and again after all are killed together`, async () => {
      for (const ordinal of NODES) await makeVolume(node, directory, { namespace: NAMESPACE, name: kind, ordinal });
      await install(kind);
      await whole(kind);
      await Promise.all(NODES.map((index) => killContainer(inNamespace, `${kind}-${index}`)));
      await until('the servers to be restarted', async () => {
        const counts = await Promise.all(NODES.map((index) => restarts(kind, index)));
        return counts.every((count) => count > 0) || undefined;
      });
      await whole(kind);
      if (kind === 'mariadb') {
        await returnsAfterAnError();
        await endsBetweenTransactions();
      }
      await kubectl('delete', 'statefulset', kind); // frees memory for the next kind
    });

  const restarts = async (kind: Kind, index: number) =>
    Number(
      await kubectl('get', 'pod', `${kind}-${index}`, '--output=jsonpath={.status.containerStatuses[*].restartCount}'),
    );

  /** Ends a Galera node's group communication by an exception, which leaves mariadbd running: liveness restarts it. */
  async function returnsAfterAnError(): Promise<void> {
    const earlier = await restarts('mariadb', 1);
    const isolate = `SET GLOBAL wsrep_provider_options='gmcast.isolate=2'`;
    await inNode('mariadb', 1, `mariadb --user=root --password=of-root --execute="${isolate}"`);
    await until('the disconnected node to be restarted', async () => {
      return (await restarts('mariadb', 1)) > earlier || undefined;
    });
    await whole('mariadb');
  }

  /** Deletes a Pod with two clients: the idle one is disconnected, the other one only after its transaction. */
  async function endsBetweenTransactions(): Promise<void> {
    const address = await kubectl('get', 'pod', 'mariadb-2', '--output=jsonpath={.status.podIP}');
    const port = await node.reach(3306, address);
    const connect = async () => await createConnection({ host: '127.0.0.1', port, user: 'root', password: 'of-root' });
    const [idle, busy] = await Promise.all([connect(), connect()]);
    await busy.query('CREATE DATABASE ended');
    await busy.query('CREATE TABLE ended.rows (id INT PRIMARY KEY)');
    await busy.query('START TRANSACTION');
    await busy.query('INSERT INTO ended.rows VALUES (1)');
    const isClosed = [once(idle, 'error'), once(busy, 'error')];
    await kubectl('delete', 'pod', 'mariadb-2', '--wait=false');
    await isClosed[0];
    await busy.query('INSERT INTO ended.rows VALUES (2)');
    await busy.query('COMMIT');
    await isClosed[1];
    await whole('mariadb');
    const count = `mariadb --user=root --password=of-root --skip-column-names --execute='SELECT COUNT(*) FROM ended.rows'`;
    assert.equal((await inNode('mariadb', 0, count)).trim(), '2');
  }

  async function install(kind: Kind): Promise<void> {
    const chart = packageChart(kind, directory);
    const passwords = {
      database_password: 'of-root',
      mariadb_monitor_password: 'of-monitor',
      rabbitmq_password: RABBITMQ_PASSWORD,
      rabbitmq_cluster_cookie: 'of-cookie',
    };
    const images = { registry: 'kolla-pod.test', tag: 'zed', kollaPod: { delivery: 'baked' } };
    const global = { ...images, storageClass: 'aio', ipFamilies: FAMILIES[addresses], passwords };
    // With MariaDB's own plugin for Galera's options there is no gmcast.isolate.
    const settings = kind === 'mariadb' ? { mysqld: { loose_plugin_wsrep_provider: 'OFF' } } : {};
    const values = { global, settings, workloads: { [kind]: { replicas: NODES.length } } };
    const file = join(directory, `${kind}.json`);
    await writeFile(file, JSON.stringify(values));
    const words = ['install', kind, chart, '--namespace', NAMESPACE, '--values', file, '--wait', '--timeout', '30m'];
    const { code, stderr } = await helm(directory, words, node.kubeconfig);
    assert.equal(code, 0, `${stderr}${await kubectl('get', 'pods')}`);
  }

  /** Resolves when each node reports all members. */
  async function whole(kind: Kind): Promise<void> {
    const sizeAt = { mariadb: galeraSize, rabbitmq: brokersSeen }[kind];
    const isWhole = async (saw: (value: unknown) => void) => {
      const said = await Promise.all(NODES.map((index) => sizeAt(index).catch(String)));
      saw(said);
      return said.every((count) => count === NODES.length) || undefined;
    };
    await until('all nodes to form one cluster', isWhole);
  }

  async function galeraSize(index: number): Promise<number> {
    const show = `mariadb --user=mysql --skip-column-names --execute="SHOW STATUS LIKE 'wsrep_cluster_size'"`;
    return Number((await inNode('mariadb', index, show)).split('\t')[1]);
  }

  /** How many brokers one broker sees, by the management API: rabbitmqctl would start an Erlang VM each time. */
  async function brokersSeen(index: number): Promise<number> {
    const address = await kubectl('get', 'pod', `rabbitmq-${index}`, '--output=jsonpath={.status.podIP}');
    const port = ports.get(address) ?? (await node.reach(15_672, address));
    ports.set(address, port);
    const login = Buffer.from(`openstack:${RABBITMQ_PASSWORD}`).toString('base64');
    const reply = await fetch(`http://127.0.0.1:${port}/api/nodes`, {
      headers: { authorization: `Basic ${login}`, connection: 'close' },
    });
    const nodes = (await reply.json()) as { running: boolean }[];
    return nodes.filter(({ running }) => running).length;
  }
};

// A dual-stack cluster's servers find each other by the primary family.
for (const addresses of ['IPv4', 'IPv6-only'] as const)
  describe(`three-node clusters from the charts, ${addresses}`, { skip }, testsWith(addresses));
