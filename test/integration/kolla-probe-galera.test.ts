import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { ENGINES, type OnEngine } from '../cluster/both-engines.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunGalera, startGalera, type Galera, type GaleraNode } from '../cluster/galera.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const skip = (await canRunGalera()) ?? false;
const stack = new AsyncDisposableStack();
/** Node, and kolla-core if it can be built here. */
const engines = ENGINES.slice(0, (await canBuildCore()) === undefined ? 2 : 1);
let galera: Galera;
let nodes: readonly [GaleraNode, GaleraNode, GaleraNode];
let defaultsFile: string;

before(async () => {
  if (skip !== false) return;
  galera = stack.use(await startGalera());
  nodes = galera.nodes as unknown as typeof nodes;
  // The account as kolla-ansible creates it, which may only log in.
  await nodes[0].query("CREATE USER monitor@'%' IDENTIFIED BY 'hidden'");
  await galera.waitApplied();
  const directory = stack.use(await privateDirectory('probe-galera'));
  defaultsFile = join(directory.path, 'healthcheck.cnf');
  await writeFile(defaultsFile, '[mariadb-client]\nuser=monitor\npassword=hidden\n');
});
after(() => stack.disposeAsync());

/** The verdict, which is the same on each engine. */
async function ask(node: GaleraNode, check: 'galera' | 'mysql' = 'galera', ...words: string[]): Promise<string> {
  const said = await askOn(ENGINES[0]!, node, check, ...words);
  for (const engine of engines.slice(1)) assert.equal(await askOn(engine, node, check, ...words), said, engine.name);
  return said;
}

async function askOn(engine: OnEngine, node: GaleraNode, check: 'galera' | 'mysql', ...words: string[]) {
  const place = `${node.host}:${node.port}`;
  const said = await engine.ask([check, place, '--defaults-file', defaultsFile, '--timeout', '30s', ...words]);
  assert.doesNotMatch(said, /hidden/);
  return said === '0' ? 'healthy' : said.replace(/ \w+ \S+:/, '');
}

test('a synced node is healthy for an account with only USAGE, over TCP and its socket', { skip }, async () => {
  const [node] = nodes;
  assert.deepEqual(
    (await node.query("SHOW GRANTS FOR monitor@'%'")).map(
      (row) => /^GRANT (\w+) ON/.exec(String(Object.values(row)[0]))?.[1],
    ),
    ['USAGE'],
  );
  assert.equal(await ask(node), 'healthy');
  const { code, stderr } = await runHelper('kolla-probe', ['galera', node.socket, '--defaults-file', defaultsFile]);
  assert.equal(code, 0, stderr);
});

test('a desynced node is unhealthy unless allowed', { skip }, async () => {
  const [node] = nodes;
  await node.query('SET GLOBAL wsrep_desync = ON');
  assert.match(await ask(node), /^1: it is desynced on purpose \(wsrep_desync is ON\)/);
  assert.match(await ask(node, 'galera', '--allow-donor'), /^1: it is desynced/);
  assert.equal(await ask(node, 'galera', '--allow-desync'), 'healthy');
  await node.query('SET GLOBAL wsrep_desync = OFF');
  // While it changes, two engines may see two states.
  const once = () => askOn(ENGINES[0]!, node, 'galera');
  await until('the node to be synced again', async () => (await once()) === 'healthy' || undefined);
});

test('a node configured to reject queries, or not to replicate, is unhealthy', { skip }, async () => {
  const [node] = nodes;
  await node.query('SET GLOBAL wsrep_reject_queries = ALL');
  assert.equal(await ask(node), '1: it is configured to reject queries: wsrep_reject_queries is ALL');
  await node.query('SET GLOBAL wsrep_reject_queries = NONE');
  await node.query('SET GLOBAL wsrep_on = OFF');
  assert.match(await ask(node), /^1: wsrep_on is OFF/);
  await node.query('SET GLOBAL wsrep_on = ON');
  assert.equal(await ask(node), 'healthy');
});

test('the donor of a full state transfer is unhealthy unless allowed', { skip }, async () => {
  const [first, second, third] = nodes;
  await third.stop();
  // A node without data needs a full state transfer.
  await rm(join(dirname(third.socket), 'data'), { recursive: true });
  await mkdir(join(dirname(third.socket), 'data'));
  const release = await Promise.all([first, second].map((node) => node.holdTransfers()));
  const joined = third.start();
  try {
    const donor = await until('one of the others to be the donor', async () => {
      const states = await Promise.all([first, second].map((node) => node.status('wsrep_local_state_comment')));
      return [first, second][states.indexOf('Donor/Desynced')];
    });
    assert.match(await ask(donor), /^1: it is the donor of a joining node/);
    assert.equal(await ask(donor, 'galera', '--allow-donor'), 'healthy');
  } finally {
    await Promise.all(release.map((go) => go()));
    await joined;
  }
  assert.equal(await ask(third), 'healthy');
});

test('a frozen node accepts connections and is unhealthy at the deadline', { skip }, async () => {
  const [, , node] = nodes;
  node.freeze();
  try {
    const args = ['galera', `${node.host}:${node.port}`, '--defaults-file', defaultsFile, '--timeout', '2s'];
    const { code, stderr } = await runHelper('kolla-probe', args);
    assert.equal(code, 1);
    assert.match(stderr, /no response in 2s: the server does not finish the login/);
  } finally {
    node.thaw();
  }
});

test('liveness: a node that has disconnected is unhealthy; one whose state is unknown is not', { skip }, async () => {
  const [, , node] = nodes;
  const liveness = () => ask(node, 'galera', '--unless-disconnected');
  assert.equal(await liveness(), 'healthy');
  node.freeze();
  const late = ['galera', `${node.host}:${node.port}`, '--defaults-file', defaultsFile, '--unless-disconnected'];
  assert.equal((await runHelper('kolla-probe', [...late, '--timeout', '500ms'])).code, 0);
  node.thaw();
  // Ends its group communication with an exception, as one of its own errors does.
  await node.query("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=2'");
  await until('the node to disconnect', async () => {
    return (await node.status('wsrep_cluster_status')) === 'Disconnected' || undefined;
  });
  const reason = '1: it has disconnected from its cluster and does not reconnect: restart it';
  assert.equal(await liveness(), reason);
  assert.match(await ask(node), /^1: it has disconnected from its cluster and does not reconnect: restart it/);
  await node.stop();
  assert.equal(await liveness(), 'healthy', 'not running: its container exits, too');
  await node.start();
  assert.equal(await liveness(), 'healthy');
  assert.equal(await ask(node), 'healthy');
});

test('a node without quorum is unhealthy, although it accepts logins and SELECT 1', { skip }, async () => {
  const [node, second, third] = nodes;
  await Promise.all([second.kill(), third.kill()]);
  await until('the node to lose its quorum', async () => {
    return (await node.status('wsrep_cluster_status')) === 'non-Primary' || undefined;
  });
  assert.equal(Object.values((await node.query('SELECT 1'))[0] ?? {})[0], 1);
  assert.equal(await ask(node, 'mysql'), 'healthy');
  await node.query('SET GLOBAL wsrep_sync_wait = 1');
  assert.match(
    await ask(node, 'mysql'),
    /^1: its part of the cluster is non-Primary: it has no quorum \(error 1205: .*\)$/,
  );
  await node.query('SET GLOBAL wsrep_sync_wait = 0');
  await assert.rejects(node.query('SELECT * FROM mysql.help_topic LIMIT 1'), { errno: 1047 });
  assert.match(
    await ask(node, 'galera', '--allow-donor', '--allow-desync'),
    /^1: its part of the cluster is non-Primary: it has no quorum; SELECT 1 still passes there/,
  );
  assert.equal(await ask(node, 'galera', '--unless-disconnected'), 'healthy', 'it returns by itself');
});

test('a stopped node refuses connections', { skip }, async () => {
  assert.match(await ask(nodes[1]), /^1: connection refused by \S+ \(ECONNREFUSED\)$/);
});
