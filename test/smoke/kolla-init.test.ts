import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane, endPodsOf } from '../cluster/kubernetes/index.ts';
import { batch, podSpec } from '../integration/objects.ts';
import { startInit } from '../integration/waiting.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';

const NAMESPACE = namespaceName('openstack');
const WAIT = ['--wait', `job/later@${NAMESPACE}`];

describe('kolla-init', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  let admin: string[];
  before(async () => {
    cluster = await sharedControlPlane();
    admin = ['--kubeconfig', cluster.kubeconfig];
    await cluster.createNamespace(NAMESPACE);
  });
  after(() => cluster[Symbol.asyncDispose]());

  test('installs files, and waits for a Job that does not exist yet, until it is Complete', async () => {
    await using directory = await privateDirectory('init');
    const [config, root] = [join(directory.path, 'config'), join(directory.path, 'root')];
    for (const path of [config, root]) await mkdir(path);
    const file = { source: '/var/lib/kolla/config_files/a.conf', dest: '/etc/a.conf', perm: '0600' };
    const entry = { ...file, owner: userInfo().username };
    await writeFile(join(config, 'config.json'), JSON.stringify({ command: 'true', config_files: [entry] }));
    await writeFile(join(config, 'a.conf'), '[DEFAULT]\n');
    await using waiting = await startInit([...admin, '--root', root, ...WAIT], {}, config);
    await waiting.said(new RegExp(`no such Job in namespace ${NAMESPACE} yet`));
    const job = { ...batch('later'), spec: { backoffLimit: 0, template: { spec: podSpec('Never') } } };
    await cluster.kubectl([`--namespace=${NAMESPACE}`, 'create', '--filename=-'], JSON.stringify(job));
    await waiting.said(new RegExp(`later@${NAMESPACE}: 1 active`));
    await endPodsOf(cluster, NAMESPACE, 'later', 'Succeeded');
    assert.equal(await waiting.ended, 0);
    assert.match(waiting.messages().at(-2) ?? '', /ready after .*: Complete/);
    assert.equal(await readFile(join(root, 'etc/a.conf'), 'utf8'), '[DEFAULT]\n');
  });

  test('a Job that is already Complete is ready at once', async () => {
    await using waiting = await startInit([...admin, ...WAIT]);
    assert.equal(await waiting.ended, 0);
    assert.ok(!waiting.messages().some((message) => message.includes('no such Job')));
  });
});
