/** kolla-db-sync with the real tools of services that no chart runs: what it says where their exit codes do not. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { unpackedPackages } from '../../tools/debian.ts';
import { firstLacking } from '../../tools/capability.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { toolSite, type ToolSite } from '../known-tools/site.ts';
import { canRunTool } from '../known-tools/tree.ts';
import { logLines } from '../support/helper.ts';
import { identityAndCompute } from './known-tools-nova.ts';

const NEWEST = '2026.2';
const skip =
  (await firstLacking([canRunMariadb, canRunTool('trove', NEWEST), canRunTool('barbican', NEWEST)])) ?? false;

/** What a helper has logged, without the lines of the tool. */
const said = (stderr: string) =>
  logLines(stderr)
    .filter((line) => line['from'] === undefined)
    .map(({ level, msg }) => `${level}: ${msg}`)
    .join('\n');

describe("kolla-db-sync and the services' own tools", { skip, concurrency: 2 }, () => {
  let mariadb: Mariadb;
  before(async () => {
    mariadb = await startMariadb();
  });
  after(async () => await mariadb?.[Symbol.asyncDispose]());

  const sync = (site: ToolSite, ...args: string[]) =>
    site.helper('kolla-db-sync', [site.service.name, '--release', NEWEST, ...args]);
  const check = (site: ToolSite, args: readonly string[] = [], options: Parameters<ToolSite['helper']>[2] = {}) =>
    site.helper('kolla-db-sync', ['upgrade-check', site.service.name, ...args], options);
  const record = async ({ databases: [database = ''] }: ToolSite) => {
    const [row] = await mariadb.query(`SELECT state, exit_code, output FROM ${database}.kolla_pod_record`);
    return row as { state: string; exit_code: number; output: string };
  };

  test('reports tags that Nova refuses, and an instance whose server is gone, and counts the schema as done', async () => {
    await using site = await toolSite('trove', NEWEST, mariadb);
    await using stand = await identityAndCompute();
    const [database = ''] = site.databases;
    const credentials = {
      auth_url: `${stand.url}/v3`,
      username: 'trove',
      password: 'x',
      project_name: 'service',
      project_id: 'p',
      user_domain_name: 'Default',
      project_domain_name: 'Default',
      region_name: 'RegionOne',
    };
    await site.configure({ options: { service_credentials: credentials } });
    const first = await sync(site);
    assert.equal(first.code, 0, first.stderr);
    assert.match(said(first.stderr), /info: schema: trove_\w+\.alembic_version is at \w+, the head/);
    await mariadb.query(`INSERT INTO ${database}.datastores (id, name) VALUES ('d', 'mysql')`);
    await mariadb.query(
      `INSERT INTO ${database}.datastore_versions (id, datastore_id, name, image_id, packages, active, manager, registry_ext, repl_strategy)
       VALUES ('v', 'd', '8', 'i', '', 1, 'mysql', '', '')`,
    );
    await mariadb.query(
      `INSERT INTO ${database}.instances (id, created, updated, name, compute_instance_id, task_id, task_description,
         task_start_time, datastore_version_id, deleted) VALUES ('one', NOW(), NOW(), 'one', 'gone', 1, 'No tasks', NOW(), 'v', 0)`,
    );
    const refused = await sync(site);
    assert.equal(refused.code, 0, refused.stderr);
    assert.equal(stand.refusals, 1);
    assert.match(
      said(refused.stderr),
      /warn: trove-manage exited with code 0; the schema is complete, but not the tags of existing instances in Nova: 1 failed; run `trove-manage set_nova_tags --force true`/,
    );
    stand.hasServers = false;
    const gone = await sync(site);
    assert.equal(gone.code, 0, gone.stderr);
    assert.match(
      said(gone.stderr),
      /warn: trove-manage exited with code 1; the schema is complete, but not the tags .*: novaclient\.exceptions\.NotFound: /,
    );
    const { state, exit_code: code, output } = await record(site);
    assert.deepEqual([state, code], ['done', 0]);
    assert.match(output, /the schema is complete, but not the tags/);
  });

  test('a tool that migrated another database has not reached the head of this one, although it exits with 0', async () => {
    await using site = await toolSite('skyline', NEWEST, mariadb);
    await using other = await toolSite('skyline', NEWEST, mariadb, 'other');
    const [database = ''] = other.databases;
    const env = { KOLLA_DB_SYNC_CONNECTION: other.urls[0] ?? '' };
    const { code, stderr } = await site.helper('kolla-db-sync', ['skyline', '--release', NEWEST], { env });
    assert.equal(code, 69, stderr);
    assert.match(
      said(stderr),
      new RegExp(`alembic exited with code 0, but ${database}\\.alembic_version has no revision, not at the head \\w+`),
    );
    const row = await record(other);
    assert.deepEqual([row.state, row.exit_code], ['failed', 69]);
  });

  test('a tool that fails at the head is told so, and one that meets a newer schema', async () => {
    await using site = await toolSite('gnocchi', NEWEST, mariadb);
    const [database = ''] = site.databases;
    const first = await sync(site);
    assert.equal(first.code, 0, first.stderr);
    // Its sacks are files.
    const options = { storage: { driver: 'file', file_basepath: '/dev/null/x' } };
    await site.configure({ options });
    const failed = await sync(site);
    assert.equal(failed.code, 1, failed.stderr);
    assert.match(
      failed.stderr,
      /gnocchi-upgrade exited with code 1: schema: gnocchi_\w+\.alembic_version is at \w+, the head/,
    );
    await site.configure();
    await mariadb.query(`UPDATE ${database}.alembic_version SET version_num = 'ffffffffffff'`);
    const newer = await sync(site);
    assert.equal(newer.code, 1, newer.stderr);
    assert.match(
      newer.stderr,
      /is at ffffffffffff, which this release's tool does not know: a newer release has migrated it/,
    );
  });

  test("Cyborg's check says nothing before the migration, and its devices are migrated online", async () => {
    await using site = await toolSite('cyborg', NEWEST, mariadb);
    const [database = ''] = site.databases;
    const early = await check(site);
    assert.equal(early.code, 0, early.stderr);
    assert.match(said(early.stderr), /warn: cyborg-status upgrade check says nothing before the migration/);
    const expanded = await sync(site, '--phase', 'expand');
    assert.equal(expanded.code, 0, expanded.stderr);
    await mariadb.query(
      `INSERT INTO ${database}.devices (uuid, type, vendor, model, std_board_info, vendor_board_info, hostname)
       VALUES ('6e1f9ab2-27d3-4a8c-9d5c-6f1c2f0f9a11', 'GPU', '10de', 'x', '', '', 'host')`,
    );
    await mariadb.query(`UPDATE ${database}.devices SET device_state = NULL`);
    const left = await check(site);
    assert.equal(left.code, 1, left.stderr);
    assert.match(said(left.stderr), /1 device\(s\) still have NULL device_state/);
    const online = await sync(site, '--phase', 'online');
    assert.equal(online.code, 2, online.stderr);
    assert.match(
      online.stderr,
      /cyborg-dbsync exited with code 2: not all data was migrated: it needs the API of Nova/,
    );
    // What needs no Nova is done all the same.
    const done = await check(site);
    assert.equal(done.code, 0, done.stderr);
    assert.match(said(done.stderr), /info: cyborg-status upgrade check: success; it has read the database/);
  });

  test("Ironic's check needs ipmitool, and a directory in the place of http_root", async () => {
    await using site = await toolSite('ironic', NEWEST, mariadb);
    const lacking = await check(site);
    assert.equal(lacking.code, 69, lacking.stderr);
    assert.match(lacking.stderr, /could not run: it needs ipmitool; run it in an image that has it/);
    const migrated = await sync(site);
    assert.equal(migrated.code, 0, migrated.stderr);
    const ipmitool = join(
      await unpackedPackages('ipmitool', ['ipmitool'], { dependencies: false }),
      'usr/bin/ipmitool',
    );
    const { code, stderr } = await check(site, [], { binds: [{ from: ipmitool, to: '/usr/bin/ipmitool' }] });
    assert.equal(code, 0, stderr);
    assert.match(said(stderr), /info: ironic-status upgrade check: success; it has read the database/);
  });

  test("Octavia's check says nothing of a jobboard that is off, and is stopped at its deadline", async () => {
    await using site = await toolSite('octavia', NEWEST, mariadb);
    const off = await check(site);
    assert.equal(off.code, 0, off.stderr);
    assert.match(said(off.stderr), /ignored, as \[task_flow\] jobboard_enabled is off: AmphoraV2 Check: Warning/);
    assert.match(said(off.stderr), /info: octavia-status upgrade check: success/);
    const late = await check(site, ['--check-timeout', '1s']);
    assert.equal(late.code, 75, late.stderr);
    assert.match(late.stderr, /octavia-status upgrade check did not finish within 1s: stopped/);
  });

  test('a success says that the check has not read the database', async () => {
    await using site = await toolSite('barbican', NEWEST, mariadb);
    const { code, stderr } = await check(site);
    assert.equal(code, 0, stderr);
    assert.match(
      said(stderr),
      /info: barbican-status upgrade check: success; it has looked at the configuration alone, never at the database/,
    );
  });
});
