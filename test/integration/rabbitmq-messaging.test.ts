/**
 * What services with the charts' configuration declare in a cluster of RabbitMQ, and what of it survives its nodes, with
 * oslo.messaging of the newest release: the table in k8s/charts/rabbitmq/README.md.
 */
import assert from 'node:assert/strict';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as wholeOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { run as runProgram, start, tailOf, tied, type Running } from '../../tools/process.ts';
import { filesOf, textAt } from '../charts/service-charts.ts';
import { rendering } from '../charts/support.ts';
import { releaseTree } from '../cloud/trees/release.ts';
import { pythonOf } from '../cluster/keystone-tree.ts';
import { openstackTools } from '../cluster/openstack-tools.ts';
import { canMakeNetworks } from '../cluster/private-network.ts';
import { startRabbitmqCluster, type ClusterNode } from '../cluster/rabbitmq-cluster.ts';
import { canRunRabbitmq } from '../cluster/rabbitmq.ts';
import { HELPERS } from '../support/helper.ts';
import { fileLimit } from '../support/file-limit.ts';
import { until } from '../support/until.ts';

fileLimit(30);

const RELEASE = '2026.2';
/** The name of this host in queues, and in the files of the queue manager. */
const OWN = `messaging-${process.pid}`;
const SCRIPT = fileURLToPath(new URL('rabbitmq-messaging.py', import.meta.url));
const PAGE = fileURLToPath(new URL('../../k8s/charts/rabbitmq/README.md', import.meta.url));

/** Tested by building it. */
const canBuildRelease: Capability = async () => {
  try {
    await releaseTree(RELEASE);
    await openstackTools();
    return undefined;
  } catch (error) {
    return `OpenStack ${RELEASE} can't be built here: ${messageOf(error)}`;
  }
};

const skip =
  (await canMakeNetworks()) ?? (await canRunHelm()) ?? (await canRunRabbitmq()) ?? (await canBuildRelease()) ?? false;

/** Settings of kolla-ansible that the charts don't have. */
const STREAMS = { rabbit_stream_fanout: true, rabbit_qos_prefetch_count: 1, use_queue_manager: true };
const SETTINGS = { 'the charts': {}, 'with streams': STREAMS } as const;
type Variant = keyof typeof SETTINGS;

interface Queue {
  readonly name: string;
  readonly type: string;
  readonly durable: boolean;
  readonly exclusive: boolean;
  readonly auto_delete: boolean;
  readonly members?: readonly string[];
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Topics {
  readonly work: string;
  readonly notes: string;
}

/** The queues by their names in the table. */
const KINDS: readonly (readonly [row: string, name: (topics: Topics) => RegExp])[] = [
  ['RPC, `TOPIC`', ({ work }) => new RegExp(`^${work}$`)],
  ['RPC, `TOPIC.SERVER`', ({ work }) => new RegExp(`^${work}\\.first$`)],
  ['RPC to all servers, `TOPIC_fanout...`', ({ work }) => new RegExp(`^${work}_fanout`)],
  // With the queue manager named after the host.
  [
    'replies, `reply_...`',
    ({ work }) => (work.startsWith('with') ? new RegExp(`^reply_${OWN}`) : /^reply_[0-9a-f]{32}$/),
  ],
  ['notifications, `TOPIC.info`', ({ notes }) => new RegExp(`^${notes}\\.info$`)],
];

describe('oslo.messaging on a cluster of three RabbitMQ 4.3', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let directory: string;
  let nodes: readonly ClusterNode[];
  let python: { command: string; env: NodeJS.ProcessEnv };
  const seen = new Map<Variant, Map<string, string>>();

  before(async () => {
    directory = stack.use(await privateDirectory('messaging')).path;
    nodes = stack.use(await startRabbitmqCluster({ version: '4.3' })).nodes;
    const site = join(await releaseTree(RELEASE), 'var/lib/kolla/venv/lib/python3/site-packages');
    const { command, env } = await pythonOf((await openstackTools()).directory);
    python = { command, env: { ...env, PYTHONPATH: site } };
  });
  after(async () => {
    await stack.disposeAsync();
    await removeCounters();
  });

  /** The messaging options of the chart nova, with these settings. */
  async function configure(variant: Variant, name: string): Promise<string> {
    await using chart = await rendering('nova');
    const rendered = await chart.render({ settings: { extra: { oslo_messaging_rabbit: SETTINGS[variant] } } });
    const text = textAt(filesOf(rendered, rendered.one('Deployment', 'nova-scheduler')), '/etc/nova/nova.conf') ?? '';
    const sections = text
      .split(/^(?=\[)/m)
      .filter((section) => /^\[oslo_(?:messaging_rabbit|concurrency)\]/.test(section));
    const [, locks = ''] = /^lock_path = (.*)$/m.exec(text) ?? [];
    const own = join(directory, 'locks');
    await mkdir(own, { recursive: true });
    const hosts = nodes.map(({ address }) => `guest:guest@${address}:5672`).join(',');
    const file = join(directory, `${name}.conf`);
    await writeFile(file, `[DEFAULT]\ntransport_url = rabbit://${hosts}/\n${sections.join('').replace(locks, own)}`);
    return file;
  }

  /** Starts the script on the third node's host; resolves when it serves. */
  async function run(file: string, ...words: readonly string[]): Promise<Running & { took(text: string): boolean }> {
    const name = words.join('-').replaceAll('/', '-');
    const logFile = `${file}-${name}.log`;
    const [program, ...launcher] = nodes[2]!.launcher;
    // With the queue manager, queues have these names.
    const env = {
      ...python.env,
      OS_OSLO_MESSAGING_RABBIT__HOSTNAME: OWN,
      OS_OSLO_MESSAGING_RABBIT__PROCESSNAME: name,
    };
    const line = tied(program, [...launcher, python.command, SCRIPT, file, ...words]);
    const running = await start(...line, { env, cwd: directory, logFile, throwAway: true });
    await until(`${name} to serve`, (saw) => {
      saw(tailOf(logFile));
      return tailOf(logFile).includes('serving') || undefined;
    });
    return Object.assign(running, { took: (text: string) => tailOf(logFile, 100_000).includes(`took ${text}\n`) });
  }

  /** The processes of a service with these settings: two servers, and a client whose requests `ask` sends. */
  async function serviceOf(variant: Variant) {
    const name = variant.replaceAll(' ', '-');
    const file = await configure(variant, name);
    const topics = { work: `${name}-work`, idle: `${name}-idle`, notes: `${name}-notes` };
    const socket = join(directory, name);
    const [first, second] = await Promise.all([
      run(file, 'serve', topics.work, 'first'),
      run(file, 'serve', topics.work, 'second'),
      run(file, 'client', socket),
    ]).then((all) => all.map((running) => stack.use(running)));
    const ask = (...words: readonly string[]) => request(socket, words);
    let tries = 0;
    return {
      topics,
      ask,
      /** Resolves when a call is answered, and a message reaches both servers. */
      async works(when: string) {
        await until(`${variant}: ${when}`, async (saw) => {
          const said = await ask('call', topics.work, 'again');
          const toAll = `to-all-${++tries}`;
          await ask('fanout', topics.work, toAll);
          const took = [first, second].map((server) => server?.took(toAll));
          saw({ said, took });
          return (said === 'answered' && took.every(Boolean)) || undefined;
        });
      },
      /** Sends a request and a notification that no server receives yet. */
      async leave(text: string) {
        await ask('cast', topics.idle, text);
        await ask('notify', topics.notes, text);
      },
      /** Resolves when these are received. */
      receive: (text: string) => ask('receive', topics.idle, topics.notes, text),
    };
  }

  test('what a service declares, and what survives the loss of nodes', async () => {
    const variants = Object.keys(SETTINGS) as Variant[];
    const services = await Promise.all(variants.map(serviceOf));
    const all = async (what: (service: (typeof services)[number]) => Promise<unknown>) =>
      void (await Promise.all(services.map(what)));
    for (const [index, service] of services.entries()) {
      const { topics, ask } = service;
      await service.receive('');
      await service.works('at first');
      await service.leave('at-first');
      const queues = (await ask('read', nodes[0]!.address, 'queues')) as Queue[];
      const rows = new Map<string, string>();
      for (const [row, nameIn] of KINDS) {
        const name = nameIn(topics);
        const found = queues.find((queue) => name.test(queue.name));
        assert.ok(found, `no queue ${name}: ${queues.map((queue) => queue.name).join(', ')}`);
        rows.set(row, describeQueue(found));
      }
      const used = (await ask('read', nodes[0]!.address, 'deprecated-features/used')) as { name: string }[];
      rows.set('deprecated features in use', used.map(({ name }) => name).join(', ') || 'none');
      seen.set(variants[index]!, rows);
      await service.receive('at-first');
    }

    const [first, second] = nodes as [ClusterNode, ClusterNode, ClusterNode];
    // The one that its clients connect to first.
    await all((service) => service.leave('lost-one'));
    await first.kill();
    await all((service) => service.works('without one node'));
    await all((service) => service.receive('lost-one'));
    for (const rows of seen.values()) rows.set('one node of three is lost', 'calls resume; waiting messages are kept');

    await all((service) => service.leave('lost-two'));
    await second.kill();
    let isBack = false;
    const pending = all(async ({ ask, topics }) => {
      const said = await ask('call', topics.work, 'in-between');
      assert.ok(isBack || said !== 'answered', 'a call was answered without a quorum');
    });
    await withoutQuorum(nodes[2]!);
    isBack = true;
    await first.start();
    await pending;
    await all((service) => service.works('after two'));
    await all((service) => service.receive('lost-two'));
    for (const rows of seen.values())
      rows.set(
        'two are lost',
        'calls get no answer, some beyond their timeout; when one is back they resume, and messages are kept',
      );
  });

  test('the chart has this table', async () => {
    const page = await readFile(PAGE, 'utf8');
    const [, found = ''] = /<!-- messaging[^>]*-->\n\n(.*?)\n\n<!-- end messaging -->/s.exec(page) ?? [];
    const variants = [...seen.keys()];
    const names = [...(seen.get('the charts')?.keys() ?? [])];
    const lines = names.map(
      (row) => `| ${row} | ${variants.map((variant) => seen.get(variant)?.get(row)).join(' | ')} |`,
    );
    const table = [`| | ${variants.join(' | ')} |`, `|---|${variants.map(() => '---|').join('')}`, ...lines].join('\n');
    assert.equal(found, table);
  });
});

/** Resolves when a node has rejected a queue, after 30 s. */
async function withoutQuorum(node: ClusterNode): Promise<void> {
  const line = ['kolla-probe', 'amqp', node.address, '--user', 'guest', '--declare', '--timeout', '1h'];
  const [program, ...launcher] = node.launcher;
  const env = { PATH: process.env['PATH'], KOLLA_PROBE_PASSWORD: 'guest' };
  const { code, stderr } = await runProgram(program, [...launcher, process.execPath, HELPERS, ...line], { env });
  assert.equal(code, 1);
  assert.match(stderr, /INTERNAL_ERROR/);
}

/** Sends a request to the script's client. It waits as long as that does. */
async function request(path: string, words: readonly string[]): Promise<unknown> {
  const socket = connect(path);
  socket.end(`${JSON.stringify(words)}\n`);
  const answer = await wholeOf(socket);
  assert.notEqual(answer, '', `${words.join(' ')}: failed, see the client's log`);
  return JSON.parse(answer);
}

/** The queue manager counts in files there. */
async function removeCounters(): Promise<void> {
  for await (const file of glob(`/dev/shm/${OWN}*`)) await rm(file);
}

function describeQueue({
  type,
  durable,
  exclusive,
  auto_delete: isAutoDelete,
  members = [],
  arguments: given,
}: Queue): string {
  const expiry =
    given['x-expires'] === undefined ? '' : `, ends ${Number(given['x-expires']) / 60_000} min after its last use`;
  const age =
    given['x-max-age'] === undefined ? '' : `, of the last ${JSON.stringify(given['x-max-age']).replaceAll('"', '')}`;
  const size = members.length > 1 ? `, on ${members.length} nodes` : ', on one node';
  return `${type}${durable ? '' : ', transient'}${exclusive ? ', exclusive' : ''}${isAutoDelete ? ', auto-delete' : ''}${size}${expiry}${age}`;
}
