/** State left on servers by an older kolla-pod: today's helpers resume from it, or report why they cannot. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { keysOf, runKeys, AT_ONCE, FERNET } from './kolla-bootstrap-keys-support.ts';
import { leaseSite, said, startWorld, type LeaseSite, type World } from './kolla-db-sync-lease-support.ts';
import { accountNameOf } from '../../src/migrate/fence/account.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { CALM, migration } from './kolla-db-sync-support.ts';

interface Stored {
  readonly kolla_pod_fence: StoredTable;
  readonly kolla_pod_record: StoredTable;
  readonly lease: { readonly metadata: { readonly annotations: object; readonly name: string }; readonly spec: object };
}

interface StoredTable {
  readonly create: string;
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

const stored = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(`../fixtures/stored/${name}.json`, import.meta.url), 'utf8'));

const skip = (await canRunControlPlane()) ?? (await canRunMariadb()) ?? false;

describe('data stored on servers by kolla-pod of bf56119', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let world: World;
  before(async () => {
    world = stack.use(await startWorld());
  });
  after(() => stack.disposeAsync());

  /** A database and a Lease in the old state. */
  const left = async (name: string): Promise<LeaseSite> => {
    const site = await leaseSite(world, stack);
    const { lease, ...tables } = (await stored(name)) as Stored;
    await world.mariadb.query(`CREATE DATABASE ${site.database}`);
    for (const [table, { create, rows }] of Object.entries(tables)) {
      await world.mariadb.query(`USE ${site.database}; ${create}`);
      for (const row of rows) {
        // It has the names of user and database.
        const { account } = row;
        const own = account ? { account: accountNameOf(site.database, site.database, Number(row['token'])) } : {};
        await world.mariadb.query(
          `INSERT INTO ${site.database}.${table} VALUES (${Object.values({ ...row, ...own })
            .map(literal)
            .join()})`,
        );
      }
    }
    const { annotations } = lease.metadata;
    const metadata = { name: lease.metadata.name, annotations };
    // The next holder waits for the longer of this duration and its own.
    const spec = { ...lease.spec, leaseDurationSeconds: 3 };
    const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    await world.cluster.kubectl([`--namespace=${site.namespace}`, 'apply', '--filename=-'], JSON.stringify(object));
    return site;
  };

  test('the next migration has the next token, and the previous record stays', async () => {
    const site = await left('migration-done');
    const old = await site.fence();
    const next = await site.sync(['--release', '2026.1', ...migration(0)]);
    assert.equal(next.code, 0, next.stderr);
    const fence = await site.fence();
    assert.deepEqual([fence?.['token'], fence?.['state']], [Number(old?.['token']) + 1, 'done']);
    const records = await world.mariadb.query(`SELECT * FROM ${site.database}.kolla_pod_record ORDER BY token`);
    assert.deepEqual(
      records.map(({ release, state }) => [release, state]),
      [
        ['2025.2', 'done'],
        ['2026.1', 'done'],
      ],
    );
    const lease = said(await site.lease());
    assert.deepEqual([lease['state'], lease['release']], ['done', '2026.1']);
  });

  test('a killed migration is taken over with a greater token', async () => {
    const site = await left('migration-killed');
    const next = await site.sync([...CALM, '--release', '2026.1', ...migration(0)]);
    assert.equal(next.code, 0, next.stderr);
    const fence = await site.fence();
    assert.deepEqual([Number(fence?.['token']) > 3, fence?.['state']], [true, 'done']);
  });

  test('a fence row and a Lease of a later format are rejected, with the fix, and nothing is migrated', async () => {
    const site = await left('migration-done');
    const fix = /is of format "?2"?, and this kolla-pod knows 1: run the kolla-pod that wrote it, or a later one/;
    const lease = 'lease/kolla-db-sync-keystone';
    await site.kubectl('annotate', lease, 'kolla-pod/format=2');
    const byLease = await site.sync(['--release', '2026.1', ...migration(0)]);
    assert.equal(byLease.code, 69, byLease.stderr);
    assert.match(byLease.stderr.replaceAll('\\"', '"'), fix);
    {
      const logFile = join(world.cluster.directory, 'waiting.txt');
      await writeFile(logFile, '');
      const env = { KUBECONFIG: site.kubeconfig };
      await using _ = await startHelper('kolla-init', ['--wait', 'db-sync/keystone', '--timeout', '1h'], {
        env,
        logFile,
      });
      await until('the wait to refuse it', async (saw) => {
        const text = (await readFile(logFile, 'utf8')).replaceAll('\\"', '"');
        saw(text);
        return fix.test(text) || undefined;
      });
    }
    await site.kubectl('annotate', lease, 'kolla-pod/format-');
    await world.mariadb.query(`ALTER TABLE ${site.database}.kolla_pod_fence ADD COLUMN format INT NOT NULL DEFAULT 2`);
    const byRow = await site.sync(['--release', '2026.1', ...migration(0)]);
    assert.equal(byRow.code, 69, byRow.stderr);
    assert.match(byRow.stderr, fix);
    await world.mariadb.query(`ALTER TABLE ${site.database}.kolla_pod_record ADD COLUMN format INT NOT NULL DEFAULT 2`);
    const password = { KOLLA_PROBE_PASSWORD_FILE: join(world.cluster.directory, 'probe-password') };
    await writeFile(password.KOLLA_PROBE_PASSWORD_FILE, world.mariadb.rootPassword);
    const server = [`${world.mariadb.host}:${world.mariadb.port}`, '--user', 'root', '--database', site.database];
    const asked = await runHelper('kolla-probe', ['db-sync', 'keystone', '--server', ...server], { env: password });
    assert.equal(asked.code, 1, asked.stderr);
    assert.match(asked.stderr, fix);
    const tables = await world.mariadb.query(`SHOW TABLES IN ${site.database} LIKE 'journal'`);
    assert.deepEqual(tables, []);
  });

  test('the keys of a Secret are recognized, rotated, and none is lost', async () => {
    const { namespace } = await leaseSite(world, stack);
    const secret = (await stored('fernet-keys')) as {
      data: object;
      metadata: { annotations: Readonly<Record<string, string>> };
    };
    // As if the newest was promoted just now, because a rotation drops a key after its tokens have expired. No key is
    // of the future: a rotation would come too early.
    const promoted = Object.values(secret.metadata.annotations).flatMap((text) => text.match(/(?<==)\S+/g) ?? []);
    const ageMs = Date.now() - Math.max(...promoted.map((time) => Date.parse(time)));
    const moved = (time: string) => new Date(Date.parse(time) + ageMs).toISOString();
    const annotations = Object.fromEntries(
      Object.entries(secret.metadata.annotations).map(([name, text]) => [name, text.replaceAll(/(?<==)\S+/g, moved)]),
    );
    const metadata = { name: FERNET, annotations };
    const object = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data: secret.data };
    await world.cluster.kubectl([`--namespace=${namespace}`, 'apply', '--filename=-'], JSON.stringify(object));
    const old = await keysOf(world.cluster, FERNET, namespace);
    const rotated = await runKeys(world.cluster, ['rotate', 'keystone', 'fernet', ...AT_ONCE], {
      KOLLA_BOOTSTRAP_NAMESPACE: namespace,
    });
    assert.equal(rotated.code, 0, rotated.stderr);
    const { keys } = await keysOf(world.cluster, FERNET, namespace);
    assert.deepEqual(Object.keys(keys), ['0', '1', '2', '3']);
    await world.cluster.kubectl([
      `--namespace=${namespace}`,
      'annotate',
      '--overwrite',
      `secret/${FERNET}`,
      'kolla-pod/format=2',
    ]);
    const refused = await runKeys(world.cluster, ['rotate', 'keystone', 'fernet', ...AT_ONCE], {
      KOLLA_BOOTSTRAP_NAMESPACE: namespace,
    });
    assert.equal(refused.code, 65, refused.stderr);
    assert.match(refused.stderr, /is of format .*2.*, and this kolla-pod knows 1/);
    assert.deepEqual([keys['1'], keys['2'], keys['3']], [old.keys['1'], old.keys['2'], old.keys['0']]);
  });
});

/** As an SQL literal; server times as the server prints them. */
function literal(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value);
  const time = /^(\d{4}-\d\d-\d\d)T(.*)Z$/.exec(value);
  return `'${time === null ? value : `${time[1]} ${time[2]}`}'`;
}
