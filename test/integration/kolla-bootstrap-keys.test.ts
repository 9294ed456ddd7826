/**
 * Keystone's keys in Secrets of a real API server, and two real Keystones on one database whose key directories are
 * updated late, each when the test says so.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rotateKeys } from '../../src/provision/keys/rotate.ts';
import { KeyStore } from '../../src/provision/keys/store.ts';
import { connectKube, type KubeClient } from '../../src/kube/index.ts';
import { keystone as KEYSTONE } from '../../src/catalog/keystone.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedControlPlane, sharedMariadb, type SharedControlPlane, type SharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines } from '../support/helper.ts';
import type { Finished } from '../../tools/process.ts';
import { recordedLog } from '../support/recorded-log.ts';
import {
  AT_ONCE,
  CREDENTIAL,
  DATABASE,
  FERNET,
  keysOf,
  NAMESPACE,
  replicaFiles,
  runKeys,
  shareDatabase,
  startReplica,
  toolDirectory,
  type Replica,
} from './kolla-bootstrap-keys-support.ts';

const skip = (await canRunControlPlane()) ?? (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

function said({ stderr }: Finished): string {
  return logLines(stderr)
    .map(({ msg }) => msg)
    .join('\n');
}

describe("Keystone's keys, on a real API server and two real Keystones", { skip }, () => {
  const stack = new AsyncDisposableStack();
  let cluster: SharedControlPlane;
  let mariadb: SharedMariadb;
  let one: Replica;
  let other: Replica;
  let tool: NodeJS.ProcessEnv;

  const isDone = async (finished: Finished): Promise<void> => {
    assert.equal(finished.code, 0, finished.stderr);
    for (const secret of [FERNET, CREDENTIAL]) {
      const { keys } = await keysOf(cluster, secret);
      for (const key of Object.values(keys)) {
        assert.ok(!`${finished.stdout}${finished.stderr}`.includes(key.slice(0, 20)), 'a key was shown');
      }
    }
  };
  const rotate = async (name: 'fernet' | 'credential', ...words: string[]): Promise<Finished> => {
    const config = ['--service-config', one.configFile];
    const finished = await runKeys(cluster, ['rotate', 'keystone', name, ...config, ...words], tool);
    await isDone(finished);
    return finished;
  };
  const sync = async (...replicas: Replica[]): Promise<void> => {
    for (const replica of replicas) await replica.sync();
  };

  before(async () => {
    const directory = stack.use(await privateDirectory('keys')).path;
    const [a, b] = [join(directory, 'a'), join(directory, 'b')];
    for (const each of [a, b]) await mkdir(each);
    cluster = stack.use(await sharedControlPlane());
    await cluster.createNamespace(NAMESPACE);
    mariadb = stack.use(await sharedMariadb());
    tool = await toolDirectory(directory);
    const connection = await shareDatabase(mariadb);
    const [first, second] = [await replicaFiles(cluster, a, connection), await replicaFiles(cluster, b, connection)];

    // As in the Job: two concurrent runs leave one set of keys.
    const runs = await Promise.all([1, 2].map(() => runKeys(cluster, ['create', 'keystone'])));
    for (const finished of runs) await isDone(finished);
    assert.match(
      runs.map(said).join('\n'),
      new RegExp(`create secret ${NAMESPACE}/keystone-fernet-keys: keys 0 \\(staged\\), 1 \\(primary\\)`),
    );

    await Promise.all([first.sync(), second.sync()]);
    await first.manage('db_sync');
    await first.manage('bootstrap', '--bootstrap-region-id', 'RegionOne');
    [one, other] = await Promise.all([
      startReplica(first, a).then((replica) => stack.use(replica)),
      startReplica(second, b).then((replica) => stack.use(replica)),
    ]);
  });
  after(() => stack.disposeAsync());

  test('a second create changes nothing', async () => {
    const was = [await keysOf(cluster, FERNET), await keysOf(cluster, CREDENTIAL)];
    assert.deepEqual(Object.keys(was[0]!.keys), ['0', '1']);
    const again = await runKeys(cluster, ['create', 'keystone']);
    await isDone(again);
    assert.match(said(again), /all keys exist/);
    assert.deepEqual([await keysOf(cluster, FERNET), await keysOf(cluster, CREDENTIAL)], was);
  });

  test('tokens of both replicas are valid on both, before and after a rotation that one of them has not seen', async () => {
    await sync(one, other);
    const earlier = await other.token();
    await rotate('fernet', ...AT_ONCE);
    await one.sync();
    const [ahead, behind] = [await one.token(), await other.token()];
    const held = [];
    for (const token of [earlier, ahead, behind]) held.push(await one.use(token), await other.use(token));
    assert.deepEqual(held, [200, 200, 200, 200, 200, 200]);
  });

  test("waiting for the replicas is necessary: after two unseen rotations a replica rejects the other's token", async () => {
    await sync(one, other);
    await rotate('fernet', ...AT_ONCE);
    await rotate('fernet', ...AT_ONCE);
    await one.sync();
    const token = await one.token();
    assert.deepEqual([await one.use(token), await other.use(token)], [200, 401]);
    await other.sync();
    assert.equal(await other.use(token), 200);
  });

  test('a rotation soon after another changes nothing, and reports when it is possible', async () => {
    const was = await keysOf(cluster, FERNET);
    const early = await rotate('fernet');
    assert.match(
      said(early),
      /nothing to do: it was changed .* ago, and replicas may lack its staged key until \d{4}-.*Z/,
    );
    assert.deepEqual(await keysOf(cluster, FERNET), was);
  });

  test('a token survives any number of rotations, and its key is removed after its expiry', async () => {
    await sync(one, other);
    const token = await one.token();
    for (let count = 0; count < 2; count++) await rotate('fernet', ...AT_ONCE);
    await sync(one, other);
    assert.deepEqual([await one.use(token), await other.use(token)], [200, 200]);
    const last = await rotate('fernet', ...AT_ONCE, '--token-lifetime', '1ms', '--max-active-keys', '3');
    assert.match(said(last), /; dropped: /);
    assert.equal(Object.keys((await keysOf(cluster, FERNET)).keys).length, 3);
    await sync(one, other);
    assert.deepEqual([await one.use(token), await other.use(token)], [401, 401]);
  });

  test('four rotations based on the same keys count as one', async () => {
    const was = await keysOf(cluster, FERNET);
    const { log, said: lines } = recordedLog();
    const { signal } = new AbortController();
    using client = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
    const all = Promise.withResolvers<void>();
    let arrived = 0;
    // The second read of each run is for the rotation, and no run continues before all have read.
    const runOf = (): KubeClient => {
      let reads = 0;
      const get: KubeClient['get'] = async <T>(path: string, options: { signal: AbortSignal }) => {
        const answer = await client.get<T>(path, options);
        if (++reads === 2) {
          if (++arrived === 4) all.resolve();
          await all.promise;
        }
        return answer;
      };
      return { ...client, get, namespace: NAMESPACE };
    };
    const rules = { settleMs: 0, lifetimeMs: 0, keep: 3 };
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const own = runOf();
        const effects = { signal, log, deadline: signal, timeoutMs: 60_000 };
        const [fernet] = KEYSTONE.keys!;
        await rotateKeys(new KeyStore(fernet!, () => Promise.resolve(own), effects), rules, undefined, effects);
      }),
    );
    const now = await keysOf(cluster, FERNET);
    const primary = (keys: object) => Math.max(...Object.keys(keys).map(Number));
    assert.equal(primary(now.keys), primary(was.keys) + 1);
    assert.equal(now.keys[String(primary(now.keys))], was.keys['0']);
    const msgs = logLines(lines()).map(({ msg }) => msg);
    assert.equal(msgs.filter((msg) => msg.includes(': rotated: ')).length, 1);
    assert.equal(msgs.filter((msg) => msg.includes('object has been modified')).length, 3);
    assert.equal(msgs.filter((msg) => msg.includes('another run has rotated it meanwhile')).length, 3);
  });

  test('both replicas read credentials throughout rotations, each of which re-encrypts them with the primary key', async () => {
    await sync(one, other);
    const made = await one.ask('POST', '/credentials', {
      credential: { type: 'cert', blob: 'of a user', user_id: await adminId(one) },
    });
    assert.equal(made.status, 201);
    const { id } = (made.body as unknown as { credential: { id: string } }).credential;
    const read = async (replica: Replica) =>
      ((await replica.ask('GET', `/credentials/${id}`)).body as unknown as { credential?: { blob: string } }).credential
        ?.blob;
    for (let count = 0; count < 2; count++) {
      await rotate('credential', ...AT_ONCE);
      // Re-encrypted already, before any replica has the new key.
      assert.deepEqual([await read(one), await read(other)], ['of a user', 'of a user']);
      await one.sync();
      assert.deepEqual([await read(one), await read(other)], ['of a user', 'of a user']);
      await other.sync();
      assert.equal(await hashOf(mariadb, id), await primaryHash(cluster));
    }
    assert.equal(Object.keys((await keysOf(cluster, CREDENTIAL)).keys).length, 3);
  });

  test('the next run completes a rotation whose run died after its write, without rotating again', async () => {
    const made = await one.ask('POST', '/credentials', {
      credential: { type: 'cert', blob: 'kept', user_id: await adminId(one) },
    });
    const { id } = (made.body as unknown as { credential: { id: string } }).credential;
    const config = ['--service-config', one.configFile];
    const directory = stack.use(await privateDirectory('tool')).path;
    await writeFile(
      join(directory, 'keystone-manage'),
      `#!/bin/sh\nif [ -e ${directory}/done ]; then kill -9 $PPID; exit 1; fi\ntouch ${directory}/done\nexec ${tool['PATH']!.split(':')[0]}/keystone-manage "$@"\n`,
      { mode: 0o755 },
    );
    const dead = await runKeys(cluster, ['rotate', 'keystone', 'credential', ...config, ...AT_ONCE], {
      ...tool,
      PATH: `${directory}:${tool['PATH']}`,
    });
    assert.notEqual(dead.code, 0);
    const left = await keysOf(cluster, CREDENTIAL);
    assert.notEqual(await hashOf(mariadb, id), await primaryHash(cluster), 'it died before');
    const next = await rotate('credential');
    assert.match(said(next), /nothing to do/);
    assert.deepEqual(await keysOf(cluster, CREDENTIAL), left);
    assert.equal(await hashOf(mariadb, id), await primaryHash(cluster));
  });

  test('a failing tool changes no key', async () => {
    const was = await keysOf(cluster, CREDENTIAL);
    const broken = await runKeys(
      cluster,
      ['rotate', 'keystone', 'credential', '--service-config', '/none.conf', ...AT_ONCE],
      tool,
    );
    assert.equal(broken.code, 65, broken.stderr);
    const failing = await runKeys(cluster, ['rotate', 'keystone', 'credential', ...AT_ONCE], {
      ...tool,
      PATH: '/nowhere',
    });
    assert.equal(failing.code, 69, failing.stderr);
    assert.match(said(failing), /cannot run keystone-manage, .*no such program.*; run this in the service's own image/);
    assert.deepEqual(await keysOf(cluster, CREDENTIAL), was);
  });
});

async function adminId(replica: Replica): Promise<string> {
  const { body } = await replica.ask('GET', '/users?name=admin');
  return (body as unknown as { users: { id: string }[] }).users[0]!.id;
}

/** The hash, as recorded by Keystone, of the key that encrypted this credential. */
async function hashOf(mariadb: SharedMariadb, id: string): Promise<string> {
  const [row] = await mariadb.query(`SELECT key_hash FROM ${DATABASE}.credential WHERE id = ?`, [id]);
  return String(row?.['key_hash']);
}

async function primaryHash(cluster: SharedControlPlane): Promise<string> {
  const { createHash } = await import('node:crypto');
  const { keys } = await keysOf(cluster, CREDENTIAL);
  return createHash('sha1')
    .update(keys[String(Math.max(...Object.keys(keys).map(Number)))]!)
    .digest('hex');
}
