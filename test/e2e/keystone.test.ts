import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { keystoneRootfs } from '../cluster/keystone-image.ts';
import { until } from '../support/until.ts';
import { configmapsTests } from './configmaps.ts';
import { runEntrypointPod } from './entrypoint-pod.ts';
import {
  ADMIN_PASSWORD,
  deployKeystone,
  deployReconfigured,
  IMAGE,
  setStage,
  whyNoStage,
  type Stage,
} from './keystone-pod.ts';
import { openPage } from './page.ts';
import { placementTests } from './placement.ts';
import { probeTests } from './probe.ts';
import { runPlannedPod } from './planned-pod.ts';
import { runRootPod } from './root-pod.ts';
import { securityTests } from './security.ts';
import { sidecarAllTests } from './sidecar-all.ts';
import { sidecarTests } from './sidecar.ts';
import { issueToken } from './tokens.ts';
import { asking, undoPhases } from './upgrade.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(45);

const skip = (await whyNoStage()) ?? false;

/** Pause between two token requests, so that they leave the CPUs to what they watch. */
const PAUSE_MS = 300;

interface Status {
  readonly conditions?: readonly { type: string; status: string; lastTransitionTime: string; message?: string }[];
  readonly completionTime?: string;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

interface ContainerStatus {
  readonly name: string;
  readonly state: { running?: { startedAt: string }; waiting?: { reason: string } };
  readonly lastState: { terminated?: { exitCode: number; message?: string } };
}

/** Keystone's last lines after a failed request, probes excluded. */
const LOG_LINES = 8;

/** Each endpoint of a Service, and whether it is ready or terminating. */
const ENDPOINTS = '{range .items[*].endpoints[*]}{.addresses} {.conditions}{"\\n"}{end}';

describe('a Keystone pod under the `restricted` standard', { skip }, () => {
  let stage: Stage;
  const kubectl = (namespace: string, args: readonly string[]) =>
    stage.node.kubectl(['--namespace', namespace, ...args]);
  const status = async (namespace: string, ...what: string[]): Promise<Status> => {
    const found = JSON.parse(await kubectl(namespace, ['get', ...what, '--output=json'])) as {
      items?: { status: Status }[];
      status: Status;
    };
    return found.items?.[0]?.status ?? found.status;
  };
  before(async () => (stage = await setStage()));
  after(async () => await stage?.[Symbol.asyncDispose]());

  test('the Job migrates, then Keystone starts, becomes ready and issues a token', async () => {
    await deployKeystone(stage, 'keystone');
    await kubectl('keystone', ['wait', '--for=condition=Complete', 'job/keystone-bootstrap', '--timeout=-1s']);
    await kubectl('keystone', ['wait', '--for=condition=Available', 'deployment/keystone', '--timeout=-1s']);
    const completed = (await status('keystone', 'job/keystone-bootstrap')).completionTime ?? '';
    const pod = await status('keystone', 'pods', '--selector=app=keystone');
    const started = pod.containerStatuses?.find(({ name }) => name === 'keystone')?.state.running?.startedAt ?? '';
    const ready =
      pod.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True')?.lastTransitionTime ?? '';
    assert.ok(completed < started, `Job complete ${completed}, container started ${started}`);
    assert.ok(started < ready, `container started ${started}, Ready ${ready}`);
    assert.equal(await token(await servicePort()), 201);
  });

  test('kolla_start executes the service and leaves no process of ours in front of it', async () => {
    const name = (await kubectl('keystone', ['get', 'pods', '--selector=app=keystone', '--output=name'])).trim();
    const read = async (script: string) =>
      (await kubectl('keystone', ['exec', name, '--container=keystone', '--', 'bash', '-c', script])).trim();
    assert.match(await read('tr "\\0" " " </proc/1/cmdline'), /^uwsgi --ini \/etc\/keystone\/keystone-uwsgi\.ini/);
    assert.equal(await read('id -u'), '42425');
    assert.match(await read('cat /proc/1/status'), /^CapBnd:\s+0+$/m);
  });

  placementTests(() => stage);

  test('ships each line of Keystone to Elasticsearch exactly once', async () => {
    const script = 'cat /var/log/kolla/*/*.log | wc -l';
    const pod = (await kubectl('keystone', ['get', 'pods', '--selector=app=keystone', '--output=name'])).trim();
    const lines = Number(await kubectl('keystone', ['exec', pod, '--container=keystone', '--', 'bash', '-c', script]));
    assert.ok(lines > 0, 'Keystone logged nothing');
    // A log record that contains newlines is one document.
    const inIndex = async () => {
      await stage.elasticsearch.refresh();
      const hits = await stage.elasticsearch.search('flog-*', { size: 10_000 });
      return hits.reduce((sum, { _source: { Payload } }) => sum + String(Payload).split('\n').length, 0);
    };
    const shipped = await until('the lines to be indexed', async () => {
      const count = await inIndex();
      return count >= lines ? count : undefined;
    });
    assert.equal(shipped, lines);
    const [hit] = await stage.elasticsearch.search('flog-*', {
      size: 1,
      query: { match: { programname: 'keystone' } },
    });
    assert.equal(hit?._source['Logger'], 'openstack.keystone');
  });

  test("Keystone does not start if the Job's command fails, and the Pod's status has the reason", async () => {
    await deployKeystone(stage, 'broken', (text) =>
      text.replace('keystone-manage bootstrap ', 'keystone-manage bootsrap '),
    );
    await kubectl('broken', ['wait', '--for=condition=Failed', 'job/keystone-bootstrap', '--timeout=-1s']);
    const said = await until('kolla-init to end', async () => {
      const pod = await status('broken', 'pods', '--selector=app=keystone');
      return pod.initContainerStatuses?.find(({ name }) => name === 'kolla-init')?.lastState.terminated;
    });
    assert.equal(said.exitCode, 69);
    assert.match(said.message ?? '', /job\/keystone-bootstrap.*BackoffLimitExceeded/);
    const pod = await status('broken', 'pods', '--selector=app=keystone');
    assert.equal(pod.containerStatuses?.[0]?.state.running, undefined);
  });

  test('a Pod printed by plan, with an image and a ConfigMap, satisfies config.json', async () => {
    await runPlannedPod(stage.node, 'planned', IMAGE);
    const read = async (script: string) =>
      (await kubectl('planned', ['exec', 'planned', '--', 'bash', '-c', script])).trim();
    assert.equal(await read('tr "\\0" " " </proc/1/cmdline'), 'sleep 3600');
    assert.equal(await read('cat /etc/keystone/keystone.conf'), '[DEFAULT]\ndebug = true');
    assert.equal(await read('stat -c "%U:%G %a" /etc/keystone/keystone.conf'), 'keystone:keystone 600');
    assert.equal(await read('hello.sh'), 'hello');
    assert.equal(await read('stat -c "%U %a" /var/log/kolla/keystone'), 'keystone 750');
    assert.equal(await read('touch /var/lib/keystone/data /tmp/data && echo written'), 'written');
    for (const file of ['conf/a.conf', 'a/conf/b.conf'])
      assert.equal(await read(`cat /var/lib/planned/${file}`), '[DEFAULT]\ndebug = true');
    assert.equal(await read('touch /var/lib/planned/a/deep/data && echo written'), 'written');
    assert.equal(await read('touch /etc/data 2>/dev/null || echo read-only'), 'read-only');
    assert.doesNotMatch(
      await kubectl('planned', ['logs', 'planned', '--container=kolla-init']),
      /"level":"(?:warn|error)"/,
    );
    assert.match(await read('grep " /etc/keystone " /proc/self/mounts'), /^tmpfs /);
    const ofImage = await readdir(join(await keystoneRootfs(), 'etc/pycadf'));
    assert.ok(ofImage.length > 0);
    const found = (await read('ls -A /etc/pycadf')).split('\n');
    assert.deepEqual(
      found.toSorted(),
      [...ofImage, 'audit_map.conf'].toSorted(),
      "the image's own files are there too",
    );
  });

  test("as root, follows the kubelet's symlinks in sources and rejects a symlink created by the service's user", async () => {
    const log = await runRootPod(stage.node, 'root', IMAGE);
    const lines = log.split('\n').filter((line) => !/^\d{4}-\d\d-\d\d /.test(line));
    assert.deepEqual(lines, [
      'volume 1777',
      '..data/keystone.conf',
      '..data/ca-certificates',
      'kolla_set_configs 0',
      '/etc/keystone/keystone.conf 600 keystone',
      '/var/log/kolla/keystone 2755 keystone',
      '/usr/local/share/ca-certificates/kolla-customca-root.crt 644',
      'kolla_set_configs 1',
      '/etc root',
      '/etc/passwd root',
      '',
    ]);
    assert.match(log, /ERROR InvalidConfig: permissions\[0\]\.path: \/var\/log\/kolla\/keystone is a link to \/etc /);
  });

  test('a Pod written for kubernetes-entrypoint works as before with only the image changed', async () => {
    const said = await runEntrypointPod(stage.node, IMAGE);
    for (const what of [
      'Service mariadb',
      'Service memcached',
      'Job keystone-db-sync',
      'Job keystone-fernet-setup',
      'Pod on same host with labels map[application:openvswitch]',
    ])
      assert.ok(said.includes(`Dependency ${what} in namespace openstack is resolved.\n`), `${what}: ${said}`);
    assert.match(said, /may not watch jobs\.batch in namespace openstack: polling every 2 s instead/);
    assert.ok(said.endsWith('is resolved.\ndone\n'), said);
  });

  test('a patched ConfigMap updates the file and signals the service; an invalid one is rejected', async () => {
    const said = async (container: string) =>
      await kubectl('reconfigured', ['logs', 'app', `--container=${container}`]);
    const patch = async (data: object) => {
      const text = JSON.stringify({ data });
      await kubectl('reconfigured', ['patch', 'configmap', 'app', '--type=merge', `--patch=${text}`]);
    };
    await deployReconfigured(stage, 'reconfigured');
    await kubectl('reconfigured', ['wait', '--for=condition=Ready', 'pod/app', '--timeout=-1s']);
    await until('the watch to be up to date', async () => {
      return (await said('watch')).includes('already installed') || undefined;
    });
    await patch({ 'app.conf': '[DEFAULT]\ndebug = true\n' });
    const reloaded = await until('the service to reload', async (saw) => {
      const text = await said('app');
      // It prints the file after that word, by a process of its own.
      if (/\nreloaded\n[^]*debug = \w+\n$/.test(text)) return text;
      saw(`app: ${text}\nwatch: ${await said('watch')}`);
      return undefined;
    });
    assert.equal(reloaded, '[DEFAULT]\ndebug = false\nreloaded\n[DEFAULT]\ndebug = true\n');
    await patch({ 'config.json': '{"command": "x", "config_files": [{}]}', 'app.conf': 'broken' });
    const refusal = await until('the broken version to be rejected', async () => {
      return /^.*rejected.*$/m.exec(await said('watch'))?.[0];
    });
    assert.match(refusal, /config_files\[0\]\.source: is missing/);
    assert.equal(await said('app'), reloaded);
  });

  test('docs/how-to/upgrades.md: contract waits for the last old Pod, and Keystone responds throughout', async () => {
    const CONTRACT = 'e25ffa003242';
    await using page = await openPage(stage, 'how-to/upgrades');
    await undoPhases(stage, 'keystone');
    const port = await servicePort();
    const revisions = async () =>
      (await stage.mariadb.query('SELECT version_num FROM keystone.alembic_version')).map((row) => row['version_num']);
    const pods = () => kubectl('keystone', ['get', 'pods', '--selector=app=keystone', '--output=name']);
    const old = (await pods()).trim();
    {
      const earlier = await issueToken(port, { password: ADMIN_PASSWORD });
      const renew = async () => assert.equal((await issueToken(port, earlier)).status, 201);
      await using answers = asking(renew, { pauseMs: PAUSE_MS, scene });
      await page.run('Prerequisites');
      await page.run('1. Expand');
      assert.ok(!(await revisions()).includes(CONTRACT));
      assert.match(await page.run('2. Migrate'), /"kolla-pod\/ready-for":"2026\.1"/);
      const upgrade = '3. Contract and rollout';
      await page.run(upgrade, 0);
      await until('the contract phase to name the old Pod', async () => {
        const name = old.replace('pod/', '');
        const said = await page.run(upgrade, 1).catch(String);
        return said.includes(`are of release 2025.2, not 2026.1; still there: ${name}`) || undefined;
      });
      {
        await using order = asking(async () => {
          const isContracted = (await revisions()).includes(CONTRACT);
          assert.ok(!isContracted || !(await pods()).includes(old), 'contracted before the old Pod was gone');
        });
        await page.run(upgrade, 2);
        const shown = await page.run(upgrade, 3);
        for (const [release, phase] of [
          ['2026.1', 'contract'],
          ['2026.1', 'migrate'],
          ['2026.1', 'expand'],
          ['2025.2', 'all'],
        ])
          assert.match(shown, new RegExp(`^keystone +${release} +${phase} +done +0 `, 'm'));
        assert.ok(order.count() > 0);
      }
      const said = await page.run(upgrade, 1);
      assert.match(said, new RegExp(`still there: ${old.replace('pod/', '')} \\([^)]*terminating`));
      assert.ok((await revisions()).includes(CONTRACT));
      assert.ok(answers.count() > 0);
      await page.run(upgrade, 4);
    }
  });

  sidecarTests(() => stage);
  probeTests(() => stage);
  securityTests(() => stage);
  configmapsTests(() => stage);
  sidecarAllTests(() => stage);

  /** Short diagnostics: Keystone's Pods, its endpoints, and the last logs of its containers and the kubelet. */
  async function scene(): Promise<string> {
    const parts = await Promise.all([
      kubectl('keystone', ['get', 'pods', '--selector=app=keystone', '--no-headers', '--output=wide']),
      kubectl('keystone', ['get', 'endpointslices', `--output=jsonpath=${ENDPOINTS}`]),
      kubectl('keystone', ['get', 'events', '--no-headers', '--sort-by=.lastTimestamp']).then((text) =>
        lastOf(text, 3),
      ),
      kubectl('keystone', ['logs', '--selector=app=keystone', '--container=keystone', '--tail=-1', '--prefix']).then(
        (text) => lastOf(text.replaceAll(/^.*\bGET \/v3 => .*\n/gm, ''), LOG_LINES),
      ),
    ]);
    return parts.map((part) => part.trim()).join('\n');
  }

  async function servicePort(): Promise<number> {
    const address = await kubectl('keystone', ['get', 'service/keystone', '--output=jsonpath={.spec.clusterIP}']);
    return await stage.node.reach(5000, address.trim());
  }

  async function token(port: number): Promise<number> {
    return (await issueToken(port, { password: ADMIN_PASSWORD })).status;
  }
});

function lastOf(text: string, lines: number): string {
  return text.trim().split('\n').slice(-lines).join('\n');
}
