import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { canBuildKubernetes, kubeBinary } from '../cluster/kubernetes/binaries.ts';
import { etcdFlags } from '../cluster/kubernetes/flags.ts';
import { canRunMemcached, startMemcached } from '../cluster/memcached.ts';
import { canRunRedis, startRedis, type Redis } from '../cluster/redis.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { freePort, freePorts } from '../../tools/port.ts';
import { start, tied } from '../../tools/process.ts';
import { stopGroup } from '../support/stop-group.ts';
import { until } from '../support/until.ts';
const PASSWORD = { KOLLA_PROBE_PASSWORD: 'hidden' };

async function ask(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stderr } = await runHelper('kolla-probe', words, { env });
  assert.doesNotMatch(stderr, /hidden/);
  const reason = logLines(stderr).at(-1)?.msg ?? stderr;
  return code === 0 ? 'healthy' : `${code}: ${reason.replace(/^\w+ \S+( nova)?: /, '')}`;
}

/** The result while the process is frozen, which leads its group. The timeout lets a busy machine connect. */
async function frozen(pid: number, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  await stopGroup(pid);
  try {
    return await ask([...words, '--timeout', '3s'], env);
  } finally {
    process.kill(-pid, 'SIGCONT');
  }
}

const noMemcached = (await canRunMemcached()) ?? false;

test('memcached is healthy while it serves, and unhealthy when frozen or stopped', { skip: noMemcached }, async () => {
  const port = await freePort();
  const words = ['memcached', `127.0.0.1:${port}`];
  await using memcached = await startMemcached(port);
  assert.equal(await ask(words), 'healthy');
  assert.match(await frozen(memcached.pid, words), /^1: no response in 3s/);
  assert.equal(await ask(words), 'healthy');
  await memcached.stop();
  assert.match(await ask(words), /^1: connection refused by \S+ \(ECONNREFUSED\)$/);
});

const noRedis = (await canRunRedis()) ?? false;
const placeOf = ({ host, port }: Redis) => `${host}:${port}`;

test(
  'Redis is healthy with the right password, and unhealthy without it or when frozen',
  { skip: noRedis },
  async () => {
    await using redis = await startRedis({ args: ['--requirepass', 'hidden'] });
    const words = ['redis', placeOf(redis)];
    assert.equal(await ask(words, PASSWORD), 'healthy');
    assert.match(await ask(words), /^1: it requires a password: give --password-file \(NOAUTH/);
    assert.match(await ask(words, { KOLLA_PROBE_PASSWORD: 'wrong' }), /^1: it rejects the login/);
    assert.match(await frozen(redis.pid, words, PASSWORD), /^1: no response in 3s: connected, but/);
    await redis.cli('--no-auth-warning', '-a', 'hidden', 'ACL', 'SETUSER', 'probe', 'on', '>hidden', '+ping');
    assert.equal(await ask([...words, '--user', 'probe'], PASSWORD), 'healthy');
    await redis.cli('--no-auth-warning', '-a', 'hidden', 'ACL', 'SETUSER', 'probe', '-ping');
    assert.match(await ask([...words, '--user', 'probe'], PASSWORD), /^1: the user may not send PING/);
  },
);

test('a Redis replica that has lost its primary is unhealthy', { skip: noRedis }, async () => {
  await using redis = await startRedis();
  const words = ['redis', placeOf(redis)];
  assert.match(await ask(words, PASSWORD), /^1: it has no password/);
  await redis.cli('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
  await redis.cli('REPLICAOF', '127.0.0.1', String(await freePort()));
  assert.match(await ask(words), /^1: it is a replica that has lost its primary/);
  await redis.cli('REPLICAOF', 'NO', 'ONE');
  assert.equal(await ask(words), 'healthy');
});

test('Redis is unhealthy while it loads its data from disk, then healthy', { skip: noRedis }, async () => {
  await using directory = await privateDirectory('redis-data');
  {
    await using redis = await startRedis({ directory: directory.path, args: ['--rdbcompression', 'no'] });
    await redis.cli('EVAL', "for i = 1, 2000 do redis.call('SET', 'k' .. i, string.rep('v', 2000)) end", '0');
    await redis.cli('SAVE');
  }
  // A pause after each key, which is an option for Redis' own tests: two minutes, unless it is told to go on.
  const slow = ['--key-load-delay', '60000', '--loading-process-events-interval-bytes', '1024'];
  await using redis = await startRedis({ directory: directory.path, args: slow });
  const words = ['redis', placeOf(redis)];
  assert.match(await ask(words), /^1: it is still loading its data from disk \(LOADING/);
  await redis.cli('CONFIG', 'SET', 'key-load-delay', '0');
  await until('Redis to have read its data', async () => (await ask(words)) === 'healthy' || undefined);
});

const noEtcd = (await canBuildKubernetes()) ?? false;

test(
  "etcd's gRPC health service is healthy while it serves, and unhealthy for an unknown service or when frozen",
  { skip: noEtcd },
  async () => {
    await using directory = await privateDirectory('etcd');
    const [etcd = 0, etcdPeer = 0] = await freePorts(2);
    const flags = etcdFlags(directory.path, { etcd, etcdPeer });
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    await using running = await start(...tied(await kubeBinary(), ['etcd', ...args]), { cwd: directory.path });
    const words = ['grpc', `127.0.0.1:${etcd}`];
    await until('etcd to serve', async () => (await ask(words)) === 'healthy' || undefined);
    assert.equal(await ask([...words, '--service', 'nova']), "1: the server knows no service 'nova' (NOT_FOUND)");
    assert.match(await frozen(running.pid, words), /^1: no response in 3s/);
    assert.match(await ask([...words, '--tls', 'require']), /^1: connection reset.* \(ECONNRESET\)/);
  },
);

test('reads a password file on each run', { skip: noRedis }, async () => {
  await using directory = await privateDirectory('redis-password');
  const file = join(directory.path, 'password');
  await using redis = await startRedis({ args: ['--requirepass', 'hidden'] });
  const words = ['redis', placeOf(redis), '--password-file', file];
  assert.match(await ask(words), /^1: cannot read .*password, given by --password-file/);
  await writeFile(file, 'hidden\n');
  assert.equal(await ask(words), 'healthy');
});
