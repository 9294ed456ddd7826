/** The chart mariadb with three nodes of MariaDB 10.11, each replaced by 11.8 on its data while clients write. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { createConnection, type Connection } from 'mysql2/promise';
import { isPassing, isUndone } from '../../src/mysql/index.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { must } from '../../tools/process.ts';
import { chartGalera, type ChartNode } from '../cluster/chart-galera.ts';
import { canRunGalera } from '../cluster/galera.ts';
import { galeraPrograms, type GaleraPrograms } from '../cluster/galera-programs.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const skip = (await canRunHelm()) ?? (await canRunGalera()) ?? false;
const WORKERS = 6;
/** A client of a pool is idle for longer than files/drain.sh waits for. */
const PAUSE_MS = 150;
const UPGRADED = 'mariadb-upgrade has fitted the system tables to 11.8';

describe('the chart mariadb from 10.11 to 11.8', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let old: GaleraPrograms;
  let latest: GaleraPrograms;
  let nodes: readonly [ChartNode, ChartNode, ChartNode];
  before(async () => {
    [old, latest] = [await galeraPrograms('10.11'), await galeraPrograms('11.8')];
    nodes = stack.use(await chartGalera()).nodes as unknown as typeof nodes;
    await Promise.all(nodes.map((node) => node.start(old)));
    await nodes[0].query(
      `CREATE DATABASE upgraded; CREATE TABLE upgraded.parent (id INT PRIMARY KEY, name VARCHAR(64), KEY (name))
         ENGINE=InnoDB DEFAULT CHARSET=utf8;
       CREATE TABLE upgraded.written (id INT PRIMARY KEY, node VARCHAR(16)) ENGINE=InnoDB;
       CREATE USER writer@'%' IDENTIFIED BY 'of-writer'; GRANT ALL ON upgraded.* TO writer@'%'`,
    );
  });
  after(() => stack.disposeAsync());

  test('loses no committed write, and upgrades the system tables of each node once', async (t) => {
    const serving = new Set<ChartNode>(nodes);
    await using load = startLoad(serving);
    await load.writes(50);
    for (const node of nodes.toReversed()) {
      serving.delete(node);
      await node.drain();
      await node.stop();
      await node.start(latest);
      await ready(node);
      // When the last node is ready, the tables of all are upgraded at any time.
      if (node !== nodes[0]) assert.doesNotMatch(node.log(), new RegExp(UPGRADED), 'another node runs 10.11');
      serving.add(node);
      await load.writes(50);
    }
    await Promise.all(
      nodes.map((node) => until(`${node.name} to be upgraded`, () => node.log().includes(UPGRADED) || undefined)),
    );
    await load.writes(50);
    const { committed, errors } = await load.end();
    for (const error of errors) assert.ok(isPassing(error) || isUndone(error), String(error));
    for (const node of nodes) {
      const rows = await node.query('SET SESSION wsrep_sync_wait = 1; SELECT id FROM upgraded.written');
      const ids = new Set((rows[1] as unknown as { id: number }[]).map(({ id }) => id));
      assert.deepEqual(
        committed.filter((id) => !ids.has(id)),
        [],
      );
      const [row] = await node.query('SELECT VERSION() AS version');
      assert.match(String(row?.['version']), /^11\.8\./);
      assert.match(await readFile(join(node.data, 'mariadb_upgrade_info'), 'utf8'), /^11\.8\./);
    }
    t.diagnostic(`${committed.length} writes were committed, ${errors.length} failed`);
  });

  test('runs mariadb-upgrade on no node that has been upgraded', async () => {
    const [node] = nodes;
    await node.stop();
    await node.start(latest);
    const check = ['--no-defaults', `--socket=${join(node.data, '../mysqld.sock')}`, '--user=mysql'];
    const upgrade = join(latest.base, 'bin/mariadb-upgrade');
    await assert.rejects(must(upgrade, [...check, '--check-if-upgrade-is-needed']), /already upgraded to 11\.8/);
    assert.equal(node.log().split('waiting with mariadb-upgrade').length, 2);
  });

  test('gives a new table the collation of older ones, to which its foreign key refers', async () => {
    const [node] = nodes;
    await node.query(
      `CREATE TABLE upgraded.child (id INT PRIMARY KEY, parent VARCHAR(64), FOREIGN KEY (parent) REFERENCES parent (name))
         ENGINE=InnoDB DEFAULT CHARSET=utf8`.replace('parent (name)', 'upgraded.parent (name)'),
    );
    const rows = await node.query(
      "SELECT DISTINCT TABLE_COLLATION AS collation FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'upgraded' AND TABLE_NAME IN ('parent', 'child')",
    );
    assert.deepEqual(rows, [{ collation: 'utf8mb3_general_ci' }]);
  });
});

/** The chart's readiness probe. */
async function ready({ host, healthcheck, name }: ChartNode): Promise<void> {
  await until(`${name} to be ready`, async (saw) => {
    const check = ['galera', host, '--defaults-file', healthcheck, '--allow-donor'];
    const { code, stderr } = await runHelper('kolla-probe', check);
    saw(stderr);
    return code === 0 || undefined;
  });
}

/** Clients of the Service: each writes to one of the ready nodes, and repeats what has failed. */
function startLoad(serving: ReadonlySet<ChartNode>) {
  const committed: number[] = [];
  const errors: unknown[] = [];
  const over = new AbortController();
  let next = 0;
  const worker = async (): Promise<void> => {
    let connection: Connection | undefined;
    let id = next++;
    while (!over.signal.aborted) {
      await sleep(PAUSE_MS);
      try {
        // As a pool does that tests a connection before its use.
        const isAlive = await connection?.ping().then(
          () => true,
          () => false,
        );
        if (isAlive !== true) {
          connection?.destroy();
          const host = [...serving].at(id % serving.size)?.host ?? '';
          connection = await createConnection({ host, user: 'writer', password: 'of-writer', database: 'upgraded' });
          // A lost connection is seen by the next statement.
          connection.on('error', () => {});
        }
        await connection?.query('INSERT IGNORE INTO written VALUES (?, @@wsrep_node_name)', [id]);
        committed.push(id);
        id = next++;
      } catch (error) {
        errors.push(error);
        connection?.destroy();
        connection = undefined;
      }
    }
    connection?.destroy();
  };
  const workers = Array.from({ length: WORKERS }, worker);
  const end = async () => {
    over.abort();
    await Promise.all(workers);
    return { committed, errors };
  };
  return {
    /** Resolves after so many more writes. */
    writes: async (count: number) => {
      const enough = committed.length + count;
      await until('clients to write', () => committed.length >= enough || undefined);
    },
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}
