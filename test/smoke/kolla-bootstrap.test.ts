import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newKey } from '../../src/provision/keys/ring.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { FERNET, keysOf } from '../integration/kolla-bootstrap-keys-support.ts';
import {
  databaseName,
  namespaceName,
  sharedControlPlane,
  sharedMariadb,
  type SharedControlPlane,
} from '../servers/index.ts';
import { runHelper } from '../support/helper.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** All requirements of a service that has no Keystone account. */
const PARTS = ['database', 'schema', 'tool'];

describe('kolla-bootstrap on a database', { skip: (await canRunMariadb()) ?? false }, () => {
  test('the plan shows database, schema and tool, a run applies them in that order, and a second one nothing', async () => {
    await using mariadb = await sharedMariadb();
    await using directory = await privateDirectory('bootstrap');
    const at = (file: string) => join(directory.path, file);
    const name = databaseName('job');
    const url = `mysql+pymysql://${name}:hidden-password@${mariadb.host}:${mariadb.port}/${name}`;
    await writeFile(at('journal'), '');
    await writeFile(at('job.conf'), `[database]\nconnection = ${url}\n`);
    await writeFile(at('kolla-pod.yaml'), JSON.stringify({ services: { [name]: serviceOf(name, directory.path) } }));
    const env = {
      KOLLA_POD_CONFIG: at('kolla-pod.yaml'),
      KOLLA_DB_SYNC_ADMIN_USER: 'root',
      KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
    };
    const bootstrap = async (...words: string[]) => {
      const ran = await runHelper('kolla-bootstrap', [...words, ...PARTS.flatMap((part) => ['--only', part])], { env });
      assert.doesNotMatch(ran.stdout + ran.stderr, /hidden/);
      return ran;
    };
    const plan = await bootstrap('plan', name, '-o', 'json');
    assert.equal(plan.code, 1, plan.stderr);
    const { changes } = JSON.parse(plan.stdout) as { changes: { part: string }[] };
    assert.deepEqual([...new Set(changes.map(({ part }) => part))], PARTS);
    assert.deepEqual(await mariadb.query('SHOW DATABASES LIKE ?', [name]), [], 'a plan makes nothing');
    const journal = async () => (await readFile(at('journal'), 'utf8')).trim().split('\n');
    for (const _ of ['first', 'second']) {
      const ran = await bootstrap(name);
      assert.equal(ran.code, 0, ran.stderr);
      assert.deepEqual(await journal(), ['schema', 'tool']);
    }
    assert.equal((await bootstrap('plan', name)).code, 0);
  });
});

describe('kolla-bootstrap on an API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  before(async () => {
    cluster = await sharedControlPlane();
  });
  after(() => cluster[Symbol.asyncDispose]());

  test('keys from a directory are imported if there is no Secret yet, as part of the bootstrap', async () => {
    const namespace = namespaceName('openstack');
    await cluster.createNamespace(namespace);
    await using directory = await privateDirectory('keys');
    const [zero, five] = [newKey(), newKey()];
    await writeFile(join(directory.path, '0'), zero);
    await writeFile(join(directory.path, '5'), `${five}\n`);
    const from = ['--keys-from', `fernet=${directory.path}`];
    const env = { KUBECONFIG: cluster.kubeconfig, KOLLA_BOOTSTRAP_NAMESPACE: namespace };
    const bootstrap = (...words: string[]) =>
      runHelper('kolla-bootstrap', [...words, '--only', 'keys', ...from], { env });
    const plan = await bootstrap('plan', 'keystone');
    assert.equal(plan.code, 1, plan.stderr);
    assert.match(
      plan.stdout,
      new RegExp(
        `\\+ secret ${namespace}/${FERNET}\n    keys: 0 \\(staged\\), 5 \\(primary\\) of ${directory.path}\n\\+ secret`,
      ),
    );
    const made = await bootstrap('keystone');
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual((await keysOf(cluster, FERNET, namespace)).keys, { 0: zero, 5: `${five}\n` });
    assert.equal((await bootstrap('plan', 'keystone')).code, 0);
    const deleted = await runHelper('kolla-bootstrap', ['delete', 'keystone', '--only', 'keys', '--yes'], { env });
    assert.equal(deleted.code, 0, deleted.stderr);
    assert.equal((await runHelper('kolla-bootstrap', ['keys', 'status', 'keystone'], { env })).code, 0);
  });
});

/** A service that has no Keystone account, whose commands record their calls. */
function serviceOf(name: string, directory: string): object {
  const says = (word: string) => ['sh', '-c', `echo ${word} >>${directory}/journal`];
  return {
    configFile: join(directory, 'job.conf'),
    databases: [{ name, url: [{ section: 'database', key: 'connection' }] }],
    migration: { phases: { all: [{ argv: says('schema') }] }, check: { argv: ['true'], codes: { 0: 'complete' } } },
    tool: [{ name: 'first', summary: 'of a test', steps: [{ argv: says('tool') }], done: { once: 'ever' } }],
  };
}
