/** A cluster of RabbitMQ without a quorum: each node's own checks say ok, and only a declared queue shows it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { canMakeNetworks } from '../cluster/private-network.ts';
import { startRabbitmqCluster, type ClusterNode, type RabbitmqCluster } from '../cluster/rabbitmq-cluster.ts';
import { canRunRabbitmq } from '../cluster/rabbitmq.ts';
import { HELPERS, logLines } from '../support/helper.ts';
import { until } from '../support/until.ts';

const skip = (await canMakeNetworks()) ?? (await canRunRabbitmq()) ?? false;

/** For checks that are repeated. */
const SOON = '5s';
/** More than a busy machine takes to log in, and less than the 30 s after which the broker itself answers. */
const LATE = '25s';
const noAnswerIn = (timeout: string) =>
  `no response in ${timeout}: the broker has opened the virtual host, but does not answer queue.declare: its metadata store may have no quorum`;

describe('a cluster of three RabbitMQ 4.3', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let cluster: RabbitmqCluster;
  let passwordFile: string;
  let nodes: readonly ClusterNode[];

  before(async () => {
    passwordFile = join(stack.use(await privateDirectory('quorum')).path, 'password');
    await writeFile(passwordFile, 'guest\n');
    cluster = stack.use(
      await startRabbitmqCluster({ version: '4.3', config: ['cluster_partition_handling = pause_minority'] }),
    );
    nodes = cluster.nodes;
    for (const node of nodes) await until('a quorum', async () => (await declares(node)) === 'healthy' || undefined);
  });
  after(() => stack.disposeAsync());

  /** Runs a check on the node's host, against the node. @returns `healthy`, or the reason */
  async function ask(node: ClusterNode, ...words: readonly string[]): Promise<string> {
    const line = [
      'kolla-probe',
      'rabbitmq',
      node.address,
      '--user',
      'guest',
      '--password-file',
      passwordFile,
      ...words,
    ];
    const [program, ...launcher] = node.launcher;
    const { code, stderr } = await run(program, [...launcher, process.execPath, HELPERS, ...line], {
      env: { PATH: process.env['PATH'] },
    });
    return code === 0 ? 'healthy' : (logLines(stderr).at(-1)?.msg ?? stderr).replace(/^rabbitmq \S+: /, '');
  }
  const declares = (node: ClusterNode, timeout = SOON) => ask(node, '--declare', '--timeout', timeout);
  /** Everything that a check can see without a change of the metadata. */
  const looks = (node: ClusterNode) => ask(node, '--management', `http://${node.address}:15672`, '--timeout', '30s');
  const returnsTo = (node: ClusterNode, wanted: string) =>
    until(`${node.address}: ${wanted}`, async (saw) => {
      const said = await declares(node);
      saw(said);
      return said === wanted || undefined;
    });

  test('with two of three killed, only --declare fails on the third; it recovers with the second', async () => {
    const [first, second, third] = nodes as [ClusterNode, ClusterNode, ClusterNode];
    await Promise.all([first.kill(), second.kill()]);
    await returnsTo(third, noAnswerIn(SOON));
    assert.equal(await looks(third), 'healthy');
    assert.match(
      await ask(third, '--declare', '--timeout', '2m'),
      /^queue\.declare fails: INTERNAL_ERROR.*; its metadata store may have no quorum$/,
    );
    await first.start();
    for (const node of [third, first]) await returnsTo(node, 'healthy');
    await second.start();
    await returnsTo(second, 'healthy');
  });

  test('with its link cut, the minority fails and the majority does not; it recovers with the link', async () => {
    for (const [index, cut] of nodes.entries()) {
      const others = nodes.filter((_, other) => other !== index);
      await cut.link('down');
      await returnsTo(cut, noAnswerIn(SOON));
      for (const node of others) await returnsTo(node, 'healthy');
      assert.equal(await declares(cut, LATE), noAnswerIn(LATE));
      assert.equal(await looks(cut), 'healthy');
      await cut.link('up');
      for (const node of nodes) await returnsTo(node, 'healthy');
    }
  });
});
