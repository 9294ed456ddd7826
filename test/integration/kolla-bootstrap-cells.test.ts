import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ChildError, UnavailableError } from '../../src/core/errors.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { canRunOpenstackTools, openstackTools } from '../cluster/openstack-tools.ts';
import { emptyDatabase, toolSite, type ToolSite } from './kolla-bootstrap-tool-support.ts';
import { fileLimit } from '../support/file-limit.ts';

// Each start of nova-manage takes seconds of CPU.
fileLimit(20);

const skip = (await canRunOpenstackTools()) ?? (await canRunMariadb()) ?? false;
// Characters that a URL, a shell or a table might misinterpret.
const [FIRST, SECOND] = ['n0va|%25s3cret', 'other%25s3cret'];
const [API, ZERO, NOVA] = [databaseName('nova_api'), databaseName('nova_cell0'), databaseName('nova')];
const QUEUE = 'rabbit://openstack:rabbit-s3cret@a:5672,openstack:rabbit-s3cret@b:5672//';

interface Cell {
  readonly uuid: string;
  readonly name: string | null;
  readonly transport: string;
  readonly database: string;
}
const CELL0 = '00000000-0000-0000-0000-000000000000';
const [ONE, OTHER] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

describe("Nova's cells, with its own nova-manage", { skip }, () => {
  let mariadb: SharedMariadb;
  let nova: ToolSite;
  let cell: ToolSite;

  const url = (database: string, password = FIRST) =>
    `mysql+pymysql://${NOVA}:${password}@${mariadb.host}:${mariadb.port}/${database}?charset=utf8`;
  const conf = (database: string, queue = QUEUE) =>
    [
      '[DEFAULT]',
      `transport_url = ${queue}`,
      '[api_database]',
      `connection = ${url(API)}`,
      '[database]',
      `connection = ${url(database)}`,
      '',
    ].join('\n');
  const cell0 = (database: string): Cell => ({ uuid: CELL0, name: 'cell0', transport: 'none:///', database });
  /** The mappings as stored: nova-manage prints them with templates filled in and passwords hidden. */
  const cells = async () =>
    (await mariadb.query(
      `SELECT uuid, name, transport_url AS transport, database_connection AS \`database\` FROM ${API}.cell_mappings ORDER BY id`,
    )) as unknown as Cell[];
  /** Stores mappings, as an earlier run would have left them. */
  const put = async (...all: Cell[]) => {
    for (const { uuid, name, transport, database } of all) {
      await mariadb.query(
        `INSERT INTO ${API}.cell_mappings (uuid, name, transport_url, database_connection, disabled, created_at)
         VALUES (?, ?, ?, ?, 0, NOW())`,
        [uuid, name, transport, database],
      );
    }
  };

  before(async () => {
    mariadb = await sharedMariadb();
    const tools = await openstackTools();
    for (const name of [API, ZERO, NOVA]) await emptyDatabase(mariadb, name, NOVA, 'n0va|%s3cret');
    const options = { password: FIRST, program: 'nova-manage', manage: (file: string) => tools.manage('nova', file) };
    nova = await toolSite(mariadb, { ...options, service: 'nova', database: ZERO });
    cell = await toolSite(mariadb, { ...options, service: 'nova-cell', database: NOVA });
    await nova.configure(conf(ZERO));
    await nova.byHand('api_db', 'sync');
  });
  after(async () => {
    await nova[Symbol.asyncDispose]();
    await cell[Symbol.asyncDispose]();
    await mariadb[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await mariadb.query(`DELETE FROM ${API}.cell_mappings`);
    await nova.configure(conf(ZERO));
    await cell.configure(conf(NOVA));
  });

  test('cell0 is mapped to the configured URL, and a second run changes nothing', async () => {
    const planned = await nova.plan();
    assert.deepEqual(
      planned.map(({ action, name }) => `${action} ${name}`),
      ['create cell0'],
    );
    assert.equal((await cells()).length, 0, 'a plan changes nothing');

    assert.deepEqual(await nova.ensure(), { changes: 1, code: 0, meaning: undefined });
    assert.deepEqual(await cells(), [cell0(url(ZERO))]);
    assert.equal((await nova.ensure()).changes, 0);
    assert.equal(await nova.calls('map_cell0'), 1);
  });

  test('shows a changed password, and sets it in place', async () => {
    await put(cell0(url(ZERO, SECOND)));
    const [change] = await nova.plan();
    assert.deepEqual(change?.fields, [
      { name: 'uuid', after: CELL0 },
      { name: 'database password', before: 'another', after: 'as configured' },
    ]);
    assert.equal((await nova.ensure()).changes, 1);
    assert.deepEqual(await cells(), [cell0(url(ZERO))]);
  });

  test("accepts cell0 with another owner's template while it leads to the same database", async () => {
    await put(cell0(`{scheme}://{username}:{password}@{hostname}:{port}/${ZERO}?{query}`));
    assert.deepEqual(await nova.plan(), []);
  });

  test('creates a cell once, and updates a changed queue in place', async () => {
    assert.equal((await cell.ensure({ set: ['cell=cell7'] })).changes, 1);
    const [made] = await cells();
    assert.deepEqual(made, { uuid: made?.uuid, name: 'cell7', transport: QUEUE, database: url(NOVA) });

    const other = QUEUE.replaceAll('rabbit-s3cret', 'rabbit-n3w');
    await cell.configure(conf(NOVA, other));
    assert.equal((await cell.ensure({ set: ['cell=cell7'] })).changes, 1);
    assert.deepEqual(await cells(), [{ ...made, transport: other }]);
  });

  test('recognizes a cell created without a name by its database, and keeps it', async () => {
    const made = { uuid: ONE, name: null, transport: QUEUE, database: url(NOVA, SECOND) };
    await put(made);
    assert.equal((await cell.ensure()).changes, 1);
    assert.deepEqual(await cells(), [{ ...made, database: url(NOVA) }]);
  });

  test('reports two cells of one name instead of choosing', async () => {
    const [one, other] = [NOVA, 'nova_other'].map((database) => ({
      name: 'cell1',
      transport: QUEUE,
      database: url(database),
    }));
    await put({ uuid: ONE, ...one! }, { uuid: OTHER, ...other! });
    await assert.rejects(cell.plan(), (error: unknown) => {
      assert.ok(error instanceof UnavailableError);
      assert.match(error.message, /2 candidates match \(name 'cell1'.*delete all but one/);
      return true;
    });
  });

  test("never mistakes cell0 for a cell: explains Nova's own rejection", async () => {
    const made = cell0(url(NOVA, SECOND));
    await put(made, { uuid: ONE, name: 'cell2', transport: QUEUE, database: url('nova_other') });
    const { code, meaning, changes } = await cell.ensure();
    assert.deepEqual([code, changes], [2, 0]);
    assert.match(meaning ?? '', /another cell has the same database or transport URL/);
    assert.deepEqual((await cells())[0], made);
  });

  test("without a schema the plan reports it, and a run exits with nova-manage's exit code", async () => {
    await mariadb.query(`RENAME TABLE ${API}.cell_mappings TO ${API}.away`);
    try {
      const [change] = await nova.plan();
      const why = change?.fields.at(-1)?.after;
      assert.match(
        why ?? '',
        /^nova-manage exited with code 255 listing existing objects: .*cell_mappings' doesn't exist/,
      );
      await assert.rejects(nova.ensure(), (error: unknown) => error instanceof ChildError && error.exitCode === 255);
    } finally {
      await mariadb.query(`RENAME TABLE ${API}.away TO ${API}.cell_mappings`);
    }
  });

  test('no password is in a log line or on a command line', async () => {
    for (const seen of [await nova.seen(), await cell.seen()]) {
      assert.match(seen, /running nova-manage cell_v2/);
      assert.doesNotMatch(seen, /s3cret|rabbit-n3w/);
    }
  });
});
