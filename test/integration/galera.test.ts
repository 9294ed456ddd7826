/** What Galera guarantees and what it does not, on real nodes: the facts behind kolla-db-sync's fencing. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createConnection, type Connection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { canRunGalera, startGalera, type Galera, type GaleraNode } from '../cluster/galera.ts';
import { until } from '../support/until.ts';

const skip = (await canRunGalera()) ?? false;
const MY_CNF = new URL('../../k8s/charts/mariadb/files/my.cnf', import.meta.url);
const CONFLICT = 1213;
const NO_PARENT = 1452;
const CONTENDERS = 12;
/** How often sessions compete for the row. */
const CONTESTS = 200;

async function sessionOn(node: GaleraNode): Promise<Connection & AsyncDisposable> {
  const connection = await createConnection({
    socketPath: node.socket,
    user: 'root',
    password: node.rootPassword,
    database: 'facts',
    flags: ['-FOUND_ROWS'],
  });
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.end() });
}

async function valueOf(connection: Connection, sql: string): Promise<unknown> {
  const [[row]] = await connection.query<RowDataPacket[]>(sql);
  return Object.values(row ?? {})[0];
}

describe('a Galera cluster of three nodes', { skip }, () => {
  let galera: Galera;
  let nodes: readonly [GaleraNode, GaleraNode, GaleraNode];
  before(async () => {
    galera = await startGalera();
    nodes = galera.nodes as typeof nodes;
    await nodes[0].query(`CREATE DATABASE facts; CREATE TABLE facts.fence (name VARCHAR(8) PRIMARY KEY,
      token BIGINT NOT NULL, holder VARCHAR(64) NOT NULL) ENGINE=InnoDB; INSERT INTO facts.fence VALUES ('x', 0, '')`);
    await galera.waitApplied();
  });
  after(() => galera[Symbol.asyncDispose]());

  test('GET_LOCK succeeds on two nodes at once, and only once on each', async () => {
    await using first = await sessionOn(nodes[0]);
    await using second = await sessionOn(nodes[1]);
    await using third = await sessionOn(nodes[0]);
    assert.equal(await valueOf(first, "SELECT GET_LOCK('x', 0)"), 1);
    assert.equal(await valueOf(second, "SELECT GET_LOCK('x', 0)"), 1);
    assert.equal(await valueOf(third, "SELECT GET_LOCK('x', 0)"), 0);
  });

  test('SELECT FOR UPDATE does not exclude a session on another node', async () => {
    await using first = await sessionOn(nodes[0]);
    await using second = await sessionOn(nodes[1]);
    for (const connection of [first, second]) {
      await connection.beginTransaction();
      assert.equal(await valueOf(connection, "SELECT name FROM fence WHERE name = 'x' FOR UPDATE"), 'x');
    }
    await first.commit();
    await second.commit();
  });

  test('a row taken by compare-and-set has one holder, whichever nodes the statements are sent to', async (t) => {
    // Without the last the others would wait for the row that one leaves taken.
    const counts = { taken: 0, conflicts: 0, overlaps: 0, failed: 0 };
    const tokens = new Set<number>();
    let inside = 0;
    const contend = async (number: number) => {
      await using connection = await sessionOn(nodes[number % nodes.length]!);
      const holder = `c${number}`;
      const change = async (sql: string): Promise<number> => {
        try {
          return (await connection.query<ResultSetHeader>(sql, [holder]))[0].affectedRows;
        } catch (error) {
          if ((error as { errno?: number }).errno !== CONFLICT) {
            counts.failed += 1;
            throw error;
          }
          counts.conflicts += 1;
          return 0;
        }
      };
      while (counts.taken < CONTESTS && counts.failed === 0) {
        if ((await change("UPDATE fence SET token = token + 1, holder = ? WHERE name = 'x' AND holder = ''")) === 0)
          continue;
        inside += 1;
        if (inside > 1) counts.overlaps += 1;
        counts.taken += 1;
        tokens.add(Number(await valueOf(connection, "SELECT token FROM fence WHERE name = 'x'")));
        inside -= 1;
        while (
          (await change("UPDATE fence SET holder = '' WHERE name = 'x' AND holder = ?")) === 0 &&
          counts.failed === 0
        );
      }
    };
    await Promise.all(Array.from({ length: CONTENDERS }, (_, number) => contend(number)));
    t.diagnostic(`${CONTENDERS} clients on 3 nodes: ${JSON.stringify(counts)}`);
    assert.ok(counts.taken >= CONTESTS);
    assert.deepEqual({ overlaps: counts.overlaps, tokens: tokens.size }, { overlaps: 0, tokens: counts.taken });
  });

  test('a read with wsrep_sync_wait=7 sees a write through another node', async (t) => {
    await using writer = await sessionOn(nodes[0]);
    await using reader = await sessionOn(nodes[2]);
    const stale = { 0: 0, 7: 0 };
    for (const wait of [0, 7] as const) {
      await reader.query(`SET SESSION wsrep_sync_wait = ${wait}`);
      for (let round = 1; round <= 300; round++) {
        await writer.query(`UPDATE fence SET token = token + 1 WHERE name = 'x'`);
        const [written, read] = await Promise.all(
          [writer, reader].map((connection) => valueOf(connection, "SELECT token FROM fence WHERE name = 'x'")),
        );
        if (written !== read) stale[wait] += 1;
      }
    }
    t.diagnostic(`stale reads of 300: ${stale[0]} with wsrep_sync_wait=0, ${stale[7]} with 7`);
    assert.equal(stale[7], 0);
  });

  test("with the chart's wsrep_sync_wait a row can refer to one that another node has committed", async (t) => {
    const [, wait] = /^wsrep_sync_wait = (\d+)$/m.exec(readFileSync(MY_CNF, 'utf8')) ?? [];
    await using writer = await sessionOn(nodes[0]);
    await using other = await sessionOn(nodes[2]);
    await nodes[0].query(
      `USE facts; CREATE TABLE template (id INT PRIMARY KEY, text LONGTEXT);
       CREATE TABLE stack (id INT PRIMARY KEY, template INT, FOREIGN KEY (template) REFERENCES template (id));
       INSERT INTO stack VALUES (1, NULL)`,
    );
    await galera.waitApplied();
    // As Heat does, which found no template (error 1452) that its other connection had stored just before.
    const refused = { 0: 0, chart: 0 };
    for (const [of, value] of [
      ['0', '0'],
      ['chart', wait],
    ] as const) {
      await other.query(`SET SESSION wsrep_sync_wait = ${value}`);
      for (let round = 1; round <= 100; round++) {
        const id = round + (of === '0' ? 0 : 1000);
        await writer.query(`INSERT INTO template VALUES (${id}, REPEAT('x', 1000000))`);
        // While the row is being applied, the node gives it precedence over the statement that looks for it.
        await other.query(`UPDATE stack SET template = ${id}`).catch((error: unknown) => {
          assert.ok([NO_PARENT, CONFLICT].includes((error as { errno: number }).errno), String(error));
          refused[of] += 1;
        });
      }
    }
    t.diagnostic(`refused of 100: ${refused[0]} with wsrep_sync_wait=0, ${refused.chart} with the chart's ${wait}`);
    assert.equal(refused.chart, 0);
  });

  test('GET_LOCK still succeeds on a node without quorum, where the fence fails with 1047', async () => {
    const [, , node] = nodes;
    await node.isolate();
    try {
      await until('it to be alone', async () =>
        (await node.status('wsrep_cluster_status')) === 'Primary' ? undefined : true,
      );
      const [row] = await node.query("SELECT GET_LOCK('x', 0) AS got");
      assert.equal(row?.['got'], 1);
      await assert.rejects(node.query('UPDATE facts.fence SET token = token + 1'), { errno: 1047 });
    } finally {
      await node.heal();
      await galera.waitWhole();
    }
  });

  test('a killed node comes back with the writes it missed', async () => {
    const [first, second] = nodes;
    await second.kill();
    await first.query("UPDATE facts.fence SET holder = 'meanwhile'");
    await second.start();
    const [row] = await second.query('SELECT holder FROM facts.fence');
    assert.equal(row?.['holder'], 'meanwhile');
  });
});

test('two clusters are independent, and leave neither processes nor directories', { skip }, async () => {
  const both = await Promise.all([startGalera({ nodes: 1 }), startGalera({ nodes: 2 })]);
  const sizes = await Promise.all(both.map((galera) => galera.nodes[0]!.status('wsrep_cluster_size')));
  const nodes = both.flatMap((galera) => galera.nodes).map(({ pid, socket }) => ({ pid, socket }));
  await Promise.all(both.map((galera) => galera[Symbol.asyncDispose]()));
  assert.deepEqual(sizes, ['1', '2']);
  for (const { pid, socket } of nodes) assert.ok(!existsSync(`/proc/${pid}`) && !existsSync(socket));
});
