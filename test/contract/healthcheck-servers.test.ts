/**
 * Runs Kolla's scripts for MariaDB and RabbitMQ with the real client and diagnostics, and ours, against the same
 * servers.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canRunGalera, startGalera, type GaleraNode } from '../cluster/galera.ts';
import { galeraPrograms } from '../cluster/galera-programs.ts';
import { canRunRabbitmq, startRabbitmq, type Rabbitmq } from '../cluster/rabbitmq.ts';
import { privateDirectory } from '../../tools/directory.ts';
import type { Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { allSides, canHaveSides, type Sides } from './healthcheck/sides.ts';
import { fileLimit } from '../support/file-limit.ts';

// Each of RabbitMQ's own checks starts an Erlang VM, which takes twenty seconds on a machine with six other busy
// programs.
fileLimit(45);

const missing = (await canHaveSides()) ?? (await canRunGalera()) ?? (await canRunRabbitmq());
const skip = missing ?? false;
const SYNCED = 'MariaDB Galera Cluster Node is synced.\n';
const NOT_SYNCED = 'MariaDB Galera Cluster Node is NOT synced\n';

const stack = new AsyncDisposableStack();
let node: GaleraNode;
let broker: Rabbitmq;
let mariadb: Sides;
let rabbitmq: Sides;

before(async () => {
  if (missing !== undefined) return;
  const { env } = await galeraPrograms();
  const galera = stack.use(await startGalera({ nodes: 1 }));
  node = galera.nodes[0]!;
  await node.query("CREATE USER haproxy@'%'");
  await node.query("CREATE USER monitor@'%' IDENTIFIED BY 'hidden'");
  // From 11.4 on the client requires TLS, which the test's nodes, unlike a server's default, do not offer.
  const home = stack.use(await privateDirectory('home'));
  await writeFile(join(home.path, '.my.cnf'), '[client]\nskip-ssl\n');
  mariadb = await allSides({ ...env, PATH: `${env['PATH']}:${process.env['PATH']}`, HOME: home.path });
  broker = stack.use(await startRabbitmq());
  rabbitmq = await allSides(await diagnosticsOnPath(broker));
});
after(() => stack.disposeAsync());

/** An environment with `rabbitmq-diagnostics` on the PATH, as in an image. */
async function diagnosticsOnPath(of: Rabbitmq): Promise<NodeJS.ProcessEnv> {
  const directory = stack.use(await privateDirectory('diagnostics'));
  const { words, env } = of.toolLine([], 'rabbitmq-diagnostics');
  const line = `#!/bin/bash\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`;
  await writeFile(join(directory.path, 'rabbitmq-diagnostics'), line, { mode: 0o755 });
  return { ...env, PATH: `${directory.path}:${process.env['PATH']}` };
}

/** The exit code and the stdout of Kolla's script and of ours. */
async function all(sides: Sides, name: string, env: NodeJS.ProcessEnv): Promise<(string | number)[][]> {
  const each: Finished[] = [];
  for (const side of ['theirs', 'ours'] as const) each.push(await sides[side](name, [], env));
  for (const { stderr } of each.slice(1)) assert.doesNotMatch(stderr, /hidden/);
  return each.map(({ code, stdout }) => [code, stdout]);
}

const socket = (): NodeJS.ProcessEnv => ({ MYSQL_UNIX_PORT: node.socket });

test("a synced node is healthy, over its socket and with the client's variables", { skip }, async () => {
  const asked = (env: NodeJS.ProcessEnv) => all(mariadb, 'healthcheck_mariadb', env);
  const good = [0, SYNCED];
  assert.deepEqual(await asked({ ...socket(), MYSQL_USERNAME: 'haproxy' }), [good, good]);
  const tcp = { MYSQL_HOST: node.host, MYSQL_TCP_PORT: `${node.port}` };
  const login = { MYSQL_USERNAME: 'monitor', MYSQL_PWD: 'hidden' };
  assert.deepEqual(await asked({ ...tcp, ...login }), [good, good]);
});

test("differs from Kolla: the default user is haproxy, Kolla's is -haproxy", { skip }, async () => {
  const [theirs, ...ours] = await all(mariadb, 'healthcheck_mariadb', socket());
  assert.deepEqual(theirs, [1, NOT_SYNCED], "Kolla's behaviour has changed");
  assert.deepEqual(ours, [[0, SYNCED]]);
});

test('a desynced node, a rejected login and a stopped server are unhealthy', { skip }, async () => {
  const bad = [1, NOT_SYNCED];
  const asked = (env: NodeJS.ProcessEnv) => all(mariadb, 'healthcheck_mariadb', { ...socket(), ...env });
  assert.deepEqual(await asked({ MYSQL_USERNAME: 'monitor' }), [bad, bad]);
  const { stderr } = await mariadb.ours('healthcheck_mariadb', [], { ...socket(), MYSQL_USERNAME: 'monitor' });
  assert.match(stderr, /^healthcheck_mariadb: it rejects the login of 'monitor'/);
  await node.query('SET GLOBAL wsrep_desync = ON');
  assert.deepEqual(await asked({ MYSQL_USERNAME: 'haproxy' }), [bad, bad]);
  await node.query('SET GLOBAL wsrep_desync = OFF');
  await node.stop();
  assert.deepEqual(await asked({ MYSQL_USERNAME: 'haproxy' }), [bad, bad]);
});

test('a running broker is healthy, and one with a stopped application is not', { skip }, async () => {
  const env = { RABBITMQ_NODE_PORT: `${broker.port}` };
  const asked = async () => (await all(rabbitmq, 'healthcheck_rabbitmq', env)).map(([code]) => code);
  assert.deepEqual(await asked(), [0, 0]);
  await broker.control(['stop_app']);
  await until('the broker to stop', async () =>
    (await rabbitmq.ours('healthcheck_rabbitmq', [], env)).code === 1 ? true : undefined,
  );
  assert.deepEqual(await asked(), [1, 1]);
  const { stdout, stderr } = await rabbitmq.ours('healthcheck_rabbitmq', [], env);
  assert.equal(stdout, '');
  assert.match(stderr, /^healthcheck_rabbitmq: .+\n$/);
  await broker.control(['start_app']);
  assert.deepEqual(await asked(), [0, 0]);
});
