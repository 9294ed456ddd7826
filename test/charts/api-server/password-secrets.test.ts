/**
 * Passwords of existing Secrets on a real API server, as an upgrade finds them: a Secret from before a chart needed another password
 * -> Helm's error -> the command that it names -> the release.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunHelm, helm } from '../../../tools/helm.ts';
import { canRunControlPlane } from '../../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../../servers/index.ts';
import { runHelper } from '../../support/helper.ts';
import { GLOBALS, rendering, type Rendering } from '../support.ts';

const skip = (await canRunHelm()) ?? (await canRunControlPlane()) ?? false;
const SECRET = 'openstack-passwords';

describe('a Secret with passwords, on a real API server', { skip, concurrency: 1 }, () => {
  const [namespace, empty] = [namespaceName('passwords'), namespaceName('no-passwords')];
  let cluster: SharedControlPlane;
  let chart: Rendering;
  let values: string;
  before(async () => {
    cluster = await sharedControlPlane();
    for (const name of [namespace, empty]) await cluster.createNamespace(name);
    chart = await rendering('placement');
    values = join(chart.directory, 'values.json');
    const { passwords: _, ...global } = GLOBALS;
    await writeFile(values, JSON.stringify({ global: { ...global, passwordSecrets: { '*': { secret: SECRET } } } }));
  });
  after(async () => {
    await chart?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const install = async (where: string) =>
    await helm(
      chart.directory,
      ['install', 'placement', chart.chart, `--namespace=${where}`, `--values=${values}`],
      cluster.kubeconfig,
    );
  const kubectl = (args: readonly string[], input?: string) =>
    cluster.kubectl([`--namespace=${namespace}`, ...args], input);

  test('one that does not exist yet may come later: the release is installed', async () => {
    const { code, stderr } = await install(empty);
    assert.equal(code, 0, stderr);
  });

  test('one without a needed key is an error with the keys and the fix, and a completed one is none', async () => {
    const data = { placement_database_password: 'of-database', placement_keystone_password: 'of-keystone' };
    const literals = Object.entries(data).map(([key, value]) => `--from-literal=${key}=${value}`);
    await kubectl(['create', 'secret', 'generic', SECRET, ...literals]);
    const { code, stderr } = await install(namespace);
    assert.notEqual(code, 0);
    assert.match(
      stderr,
      /placement: the Secret openstack-passwords has no database_password, keystone_admin_password, memcache_secret_key, for which/,
    );
    assert.match(stderr, /kolla-pod passwords FILE --values globals\.yml \| kubectl -n \S+ apply --server-side -f -/);
    assert.doesNotMatch(stderr, /of-(?:database|keystone)/);

    const file = join(chart.directory, 'passwords.yml');
    await writeFile(file, JSON.stringify(data).replaceAll(/[{}]/g, '').replaceAll(',', '\n').replaceAll('":"', '": "'));
    const made = await runHelper('kolla-pod', ['passwords', file, '--values', values]);
    assert.equal(made.code, 0, made.stderr);
    await kubectl(['apply', '--server-side', '--force-conflicts', '--filename=-'], made.stdout);
    const stored = await kubectl(['get', 'secret', SECRET, '--output=jsonpath={.data.placement_database_password}']);
    assert.equal(Buffer.from(stored, 'base64').toString(), data.placement_database_password);
    const again = await install(namespace);
    assert.equal(again.code, 0, again.stderr);
  });
});
