/**
 * kolla-ansible's configuration directory on the shared node, with `kolla-pod configmaps` and `kolla-init plan` only;
 * no manual step.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { configmaps, takes, writeService } from '../toolbox/configmaps/directory.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { IMAGE, type Stage } from './keystone-pod.ts';

const NAME = 'configmaps';
const FILES: Readonly<Record<string, string | Buffer>> = {
  'keystone.conf': '[database]\nconnection = mysql+pymysql://keystone:hidden@db/keystone\n',
  'domains/keystone.Über uns.conf': '[identity]\ndriver = sql\n',
  'logo.png': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  'spaces.conf': '  \n\t\n[a]\n\n',
};

interface Volumes {
  readonly volumes: readonly { readonly name: string }[];
}

interface Planned {
  readonly spec: Volumes & { readonly containers: readonly object[] };
}

/** @param stage called when a test starts */
export function configmapsTests(stage: () => Pick<Stage, 'node'>): void {
  const kubectl = (args: readonly string[], input?: string) =>
    stage().node.kubectl(['--namespace', NAME, ...args], input);

  test("configmaps' output, in a Pod printed by plan, reaches the service byte for byte", async () => {
    await using directory = await privateDirectory('configmaps');
    const keystone = join(directory.path, 'keystone');
    const pictures = { ...takes('*.png'), dest: '/etc/keystone/' };
    const entries = [takes('keystone.conf'), takes('domains', '0700'), pictures, takes('spaces.conf')];
    await writeService(keystone, FILES, entries);
    await writeFile(join(keystone, 'config.json'), JSON.stringify({ command: 'sleep 3600', config_files: entries }));
    await stage().node.kubectl(['create', 'namespace', NAME]);
    await stage().node.kubectl(['label', 'namespace', NAME, 'pod-security.kubernetes.io/enforce=restricted']);
    const objects = await said(configmaps(keystone, '-n', NAME));
    await kubectl(['apply', '--server-side', '--filename=-'], objects);
    const [ours] = (load(await said(configmaps(keystone, '--mounts'))) as Volumes).volumes;
    const plan = load(await said(runHelper('kolla-init', ['plan', join(keystone, 'config.json')]))) as Planned;
    const volumes = plan.spec.volumes.map((volume) => (volume.name === ours?.name ? ours : volume));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'keystone' }, spec: { ...plan.spec, volumes } };
    await until(
      'the default ServiceAccount',
      async () => (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined,
    );
    await kubectl(['create', '--filename=-'], JSON.stringify(pod).replaceAll('"IMAGE"', `"${IMAGE}"`));
    await kubectl(['wait', '--for=condition=Ready', 'pod/keystone', '--timeout=-1s']);
    for (const [path, content] of Object.entries(FILES)) {
      const read = await kubectl(['exec', 'keystone', '--', 'base64', '-w0', `/etc/keystone/${path}`]);
      assert.deepEqual(Buffer.from(read, 'base64'), Buffer.from(content), path);
    }
    const mode = await kubectl(['exec', 'keystone', '--', 'stat', '--format=%a', '/etc/keystone/keystone.conf']);
    assert.equal(mode.trim(), '600');
  });
}

async function said(finished: Promise<{ code: number; stdout: string; stderr: string }>): Promise<string> {
  const { code, stdout, stderr } = await finished;
  assert.equal(code, 0, stderr);
  return stdout;
}
