import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigError, UnavailableError } from '../../src/core/errors.ts';
import { canRunKeystone, keystone, keystoneConf } from '../cluster/keystone.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { canRunOpenstackTools, openstackTools } from '../cluster/openstack-tools.ts';
import { databaseName, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { emptyDatabase, toolSite, type ToolSite } from './kolla-bootstrap-tool-support.ts';

const [GLANCE, KEYSTONE] = [databaseName('glance'), databaseName('keystone')];
const skip = (await canRunOpenstackTools()) ?? (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

describe("one-time commands of a service's own tool", { skip }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  const count = async (table: string) => Number((await mariadb.query(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
  const why = async (site: ToolSite, more = {}) => (await site.plan(more)).map(({ fields }) => fields.at(-1)?.after);

  test("Glance's definitions are loaded once per release, again when missing, and a tool without effect is detected", async () => {
    const tools = await openstackTools();
    await emptyDatabase(mariadb, GLANCE, GLANCE, 'glance-s3cret');
    const url = `mysql+pymysql://${GLANCE}:glance-s3cret@${mariadb.host}:${mariadb.port}/${GLANCE}`;
    await using site = await toolSite(mariadb, {
      service: 'glance',
      database: GLANCE,
      password: 'glance-s3cret',
      program: 'glance-manage',
      manage: (file) => tools.manage('glance', file),
    });
    const conf = (metadefs: string) =>
      `[DEFAULT]\nmetadata_source_path = ${metadefs}\n[database]\nconnection = ${url}\n`;
    await site.configure(conf('/nowhere'));
    await site.byHand('db_sync');
    await assert.rejects(site.ensure({ release: '1' }), (error: unknown) => {
      assert.ok(error instanceof UnavailableError);
      assert.match(
        error.message,
        /exited with code 0, but table metadef_namespaces is empty; its last line: .*nowhere/,
      );
      return true;
    });
    assert.deepEqual(await why(site, { release: '1' }), ['the last time it failed']);

    await site.configure(conf(tools.metadefs));
    assert.deepEqual(await site.ensure({ release: '1' }), { changes: 1, code: 0, meaning: undefined });
    assert.ok((await count(`${GLANCE}.metadef_namespaces`)) > 0);
    assert.equal((await site.ensure({ release: '1' })).changes, 0);
    assert.equal(await site.calls('db_load_metadefs'), 2);
    assert.deepEqual(await why(site, { release: '2' }), ['it is not recorded as done for release 2']);
    await mariadb.query(`RENAME TABLE ${GLANCE}.metadef_namespaces TO ${GLANCE}.away`);
    assert.deepEqual(await why(site, { release: '1' }), ['table metadef_namespaces is empty']);
    assert.doesNotMatch(await site.seen(), /s3cret/);
  });

  test("Keystone's bootstrap runs once with its values, and its password is only in a file", async () => {
    const { manage } = await keystone();
    await using directory = await privateDirectory('keystone-once');
    const at = (name: string) => join(directory.path, name);
    await Promise.all(['keys', 'log'].map((name) => mkdir(at(name))));
    await emptyDatabase(mariadb, KEYSTONE, KEYSTONE, 'keystone-s3cret');
    await using site = await toolSite(mariadb, {
      service: 'keystone',
      database: KEYSTONE,
      password: 'keystone-s3cret',
      program: 'keystone-manage',
      manage,
    });
    const connection = `mysql+pymysql://${KEYSTONE}:keystone-s3cret@${mariadb.host}:${mariadb.port}/${KEYSTONE}`;
    await site.configure(keystoneConf({ connection, keys: at('keys'), logDirectory: at('log') }));
    await site.byHand('db_sync');
    await assert.rejects(site.ensure(), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /OS_BOOTSTRAP_PASSWORD or OS_BOOTSTRAP_PASSWORD_FILE or OS_PASSWORD must be set/);
      return true;
    });

    const env = { OS_BOOTSTRAP_PASSWORD_FILE: at('password'), OS_BOOTSTRAP_PUBLIC_URL: 'http://keystone:5000/v3' };
    await writeFile(at('password'), 'admin-s3cret\n');
    assert.deepEqual(await site.ensure({ env }), { changes: 1, code: 0, meaning: undefined });
    const hash = async () =>
      (await mariadb.query(`SELECT password_hash AS hash FROM ${KEYSTONE}.password ORDER BY id DESC LIMIT 1`))[0]?.[
        'hash'
      ] as string;
    const [endpoint] = await mariadb.query(`SELECT url, region_id AS region FROM ${KEYSTONE}.endpoint`);
    assert.deepEqual({ ...endpoint }, { url: 'http://keystone:5000/v3', region: 'RegionOne' });
    assert.equal((await site.ensure({ env })).changes, 0);
    assert.equal(await site.calls('bootstrap'), 1);

    const first = await hash();
    await writeFile(at('password'), 'admin-n3w-s3cret\n');
    assert.deepEqual(await why(site, { env }), ['its values differ from those it was done with']);
    assert.equal((await site.ensure({ env })).changes, 1);
    assert.notEqual(await hash(), first);
    assert.deepEqual(await site.plan({ env }), []);
    const [record] = await mariadb.query(
      `SELECT work, state FROM ${KEYSTONE}.kolla_pod_record WHERE phase = 'tool:bootstrap'`,
    );
    assert.equal(record?.['state'], 'done');
    assert.doesNotMatch((await site.seen()) + String(record?.['work']), /s3cret/);
  });
});
