/**
 * Tempest's smoke tests from a Pod of the cloud's network:
 *
 *   tempest.txt (versions and hashes) -> uv -> the cache -> a volume of the Pod `tempest`, next to the release's own packages
 *   the basis' image, flavors and an external network -> tempest.conf in a Secret -> `tempest run --smoke`
 *     -> the Pod's log -> every test has passed, or is skipped with its reason
 *
 * No test logs in to a server: there is no hypervisor.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../../tools/cache.ts';
import { until } from '../../support/until.ts';
import type { Account } from '../client.ts';
import { temporary, type World } from '../operations/operation.ts';
import { toolPod } from '../tool-pod.ts';
import { debianTree } from '../trees/debian.ts';
import { runUv } from '../trees/uv.ts';

const NAME = 'tempest';
const LOCK = fileURLToPath(new URL('tempest.txt', import.meta.url));
const PLACE = '/opt/tempest';
/** This test waits for a floating address to be ACTIVE, which only an L3 agent reports. */
const WITHOUT_AGENT = 'TestNetworkBasicOps.test_network_basic_ops';
const RUN = `cd /tmp && mkdir lock
cp /etc/tempest/tempest.conf .
printf '%s\\n' '[DEFAULT]' test_path=${PLACE}/tempest/test_discover top_dir=${PLACE} 'group_regex=([^\\.]*\\.)*' > .stestr.conf
python3 ${PLACE}/bin/stestr init
exec python3 ${PLACE}/bin/tempest run --config-file /tmp/tempest.conf --smoke --concurrency 2 --exclude-regex ${WITHOUT_AGENT}`;
const RESULT = /^\{\d+\} (?<test>\S+).*? \.\.\. (?<result>ok|SKIPPED|FAILED)(?:: (?<reason>.*))?$/gm;

/** @returns the figures, with the reasons of skipped tests */
export async function assertTempestPasses({ stage, client, basis }: World, admin: Account): Promise<string> {
  const tree = await tempestTree();
  const outside = ['--external', '--provider-network-type', 'vxlan', 'tempest-public'];
  await using stack = new AsyncDisposableStack();
  const network = stack.use(await temporary(client, 'network', ...outside));
  const range = ['--network', network.id, '--subnet-range', '172.24.4.0/24', '--no-dhcp'];
  stack.use(await temporary(client, 'subnet', 'tempest-public', ...range));
  const extensions = await client.json<{ Alias: string }[]>('extension', 'list', '--network');
  const settings = {
    DEFAULT: { log_file: '/tmp/tempest.log' },
    oslo_concurrency: { lock_path: '/tmp/lock' },
    auth: {
      admin_username: admin['OS_USERNAME'],
      admin_password: admin['OS_PASSWORD'],
      admin_project_name: admin['OS_PROJECT_NAME'],
      admin_domain_name: 'Default',
    },
    identity: { uri_v3: admin['OS_AUTH_URL'], v3_endpoint_type: 'internal' },
    compute: {
      image_ref: basis.image,
      image_ref_alt: basis.image,
      flavor_ref: basis.small,
      flavor_ref_alt: basis.large,
      build_timeout: 600,
    },
    network: { public_network_id: network.id, build_timeout: 600 },
    'network-feature-enabled': { api_extensions: extensions.map(({ Alias: alias }) => alias).join(',') },
    service_available: { swift: false, horizon: true },
    dashboard: { dashboard_url: 'http://horizon:8080/', login_url: 'http://horizon:8080/auth/login/' },
    validation: { run_validation: false },
    volume: { build_timeout: 600 },
  };
  const text = Object.entries(settings).map(([section, options]) => {
    const lines = Object.entries(options).map(([name, value]) => `${name} = ${value}\n`);
    return `[${section}]\n${lines.join('')}`;
  });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: NAME } };
  const objects = [
    { ...secret, stringData: { 'tempest.conf': text.join('') } },
    toolPod(stage.release, NAME, ['bash', '-ec', RUN], {
      env: { PYTHONPATH: PLACE },
      volumes: {
        [PLACE]: { hostPath: { path: tree, type: 'Directory' } },
        '/etc/tempest': { secret: { secretName: NAME } },
      },
    }),
  ];
  await stage.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  stack.defer(async () => void (await stage.kubectl(['delete', `pod/${NAME}`, `secret/${NAME}`])));
  await until('tempest to begin', async (saw) => {
    const phase = await stage.kubectl(['get', `pod/${NAME}`, '--output=jsonpath={.status.phase}']);
    saw(phase);
    return phase !== 'Pending' || undefined;
  });
  return judge(await stage.kubectl(['logs', '--follow', `pod/${NAME}`]));
}

function judge(output: string): string {
  const results = [...output.matchAll(RESULT)].map(({ groups }) => groups ?? {});
  const of = (wanted: string) => results.filter(({ result }) => result === wanted);
  assert.deepEqual(
    of('FAILED').map(({ test }) => test),
    [],
    output.slice(-20_000),
  );
  assert.ok(of('ok').length > 0, output.slice(-5000));
  const reasons = Map.groupBy(of('SKIPPED'), ({ reason }) => reason ?? 'no reason');
  const skipped = [...reasons].map(([reason, tests]) => `${tests.length} (${reason})`);
  return `${of('ok').length} passed, skipped: ${skipped.join(', ') || 'none'}; not run: ${WITHOUT_AGENT}`;
}

async function tempestTree(): Promise<string> {
  const debian = await debianTree();
  const place = await cached(NAME, [basename(debian), await readFile(LOCK, 'utf8')], async (directory) => {
    const target = join(directory, 'packages');
    await mkdir(target);
    const install = ['pip', 'install', '--quiet', '--target', '/build/target', '--require-hashes'];
    await runUv(
      [...install, '--requirements', '/build/lock.txt'],
      [
        { from: target, to: '/build/target' },
        { from: LOCK, to: '/build/lock.txt' },
      ],
    );
  });
  return join(place, 'packages');
}
