import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { OpenStack, OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { signalIfThere, type Running } from '../../tools/process.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { condition, isReady, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const SERVICES = ['keystone', 'placement', 'neutron'];
const TARGETS = ['2025.2', '2026.1', '2026.2'];
const KILLS = Number(process.env['KILLS'] ?? 10);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** From the Lease to the end of a step or two. */
const LATEST_MS = 3000;

/** Kills a process and its children, as the kernel does when the first process of a container is killed. */
function killContainer({ pid }: Running): number {
  process.kill(pid, 'SIGSTOP');
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  for (const child of children) signalIfThere(-Number(child), 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  return children.length;
}

describe('kolla-operator, killed', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('kills', SERVICES);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const lease = () => `/apis/coordination.k8s.io/v1/namespaces/${site.namespace}/leases/kolla-operator`;
  /** The holder is known to be dead here: no replica needs to wait until its Lease ends. */
  const freeLease = () => site.request('DELETE', lease()).catch(() => {});
  const readyAt = (release: string) =>
    site.seen<OpenStack>(
      'OpenStack',
      'cloud',
      `ready at ${release}`,
      (openstack) => isReady(openstack) && openstack.status?.release === release,
    );

  /** How often an operator has become the leader. */
  const leads = async () =>
    (await readFile(join(site.directory, 'operator.log'), 'utf8').catch(() => '')).split('"leading, ').length;

  test(`comes to the same end after SIGKILL at ${KILLS} random moments of three upgrades`, async (t) => {
    t.diagnostic(`SEED=${SEED} KILLS=${KILLS}`);
    const random = randomFrom(SEED);
    let inHelm = 0;
    const services = Object.fromEntries(SERVICES.map((name) => [name, {}]));
    await site.create('OpenStack', 'cloud', { release: '2025.1', services });
    const first = await site.operator();
    await readyAt('2025.1');
    await first.stop();
    for (const [i, target] of TARGETS.entries()) {
      await site.patch('OpenStack', 'cloud', { release: target });
      const kills = Math.floor((KILLS * (i + 1)) / TARGETS.length) - Math.floor((KILLS * i) / TARGETS.length);
      for (let kill = 0; kill < kills; kill++) {
        const led = await leads();
        const running = await site.operator();
        await until('a leader', async () => ((await leads()) > led ? true : undefined));
        await sleep(random() * LATEST_MS);
        inHelm += killContainer(running);
        await running.ended;
        await freeLease();
      }
      const last = await site.operator();
      await readyAt(target);
      await last.stop();
      const steps = site.steps
        .filter((step) => step.endsWith(`expand:${target}`))
        .map((step) => step.split('-expand-')[0]);
      assert.deepEqual([...new Set(steps)], SERVICES, `each service of ${target} in its turn`);
      assert.deepEqual(
        steps,
        steps.toSorted((a = '', b = '') => SERVICES.indexOf(a) - SERVICES.indexOf(b)),
      );
    }
    t.diagnostic(`${inHelm} of ${KILLS} kills were during helm`);
    assert.equal(new Set(site.steps).size, site.steps.length, 'no Job has succeeded twice');
    for (const name of SERVICES) {
      const history = await site.history(name);
      assert.match(history.at(-1) ?? '', /deployed$/);
      for (const revision of history.slice(0, -1)) assert.match(revision, /(?:superseded|failed)$/);
      assert.match(await site.helm('get', 'values', name), /tag: "?2026\.2/);
    }
  });

  test('another replica takes over in the middle of an upgrade, when the Lease ends', async () => {
    const led = await leads();
    site.fate = (pod) => (pod.metadata.name.startsWith('keystone-expand') ? 'hold' : usualFate(pod));
    const one = await site.operator();
    await until('a leader', async () => ((await leads()) > led ? true : undefined));
    await using other = await site.operator();
    await site.patch('OpenStack', 'cloud', { values: { replicas: 2 } });
    const { status } = await site.seen<OpenStackService>(
      'OpenStackService',
      'keystone',
      'upgrading',
      ({ status: now }) => now?.phase === 'Upgrading',
    );
    await until('its Helm', async () =>
      (await site.history('keystone')).at(-1)?.endsWith('pending-upgrade') === true ? true : undefined,
    );
    killContainer(one);
    site.fate = usualFate;
    await readyAt('2026.2');
    const { helm } = (await site.seen<OpenStackService>('OpenStackService', 'keystone', 'ready', isReady)).status ?? {};
    assert.equal(helm?.revision, (status?.helm?.revision ?? 0) + 2);
    assert.match((await site.history('keystone')).at(-2) ?? '', /failed$/);
    assert.notEqual(other.pid, one.pid);
  });

  test('installs again, as the first revision, what was interrupted during its installation', async () => {
    await site.create('OpenStackService', 'solo', { chart: { name: 'keystone' }, release: '2025.1' });
    const ready = () => site.seen<OpenStackService>('OpenStackService', 'solo', 'ready', isReady);
    const one = await site.operator();
    await ready();
    await one.stop();
    await rewrite(site, 'solo', { status: 'pending-install' });
    assert.deepEqual(await site.history('solo'), ['1 pending-install']);
    await using _ = await site.operator();
    const deployed = async () =>
      (await site.history('solo').catch((): string[] => [])).includes('1 deployed') ? true : undefined;
    await until('the installation', deployed);
    assert.deepEqual(await site.history('solo'), ['1 deployed']);
    await ready();
  });

  test('tries an object last during which it died twice, and says so until it is right', async () => {
    site.fate = (pod) => (pod.metadata.name.startsWith('victim-expand') ? 'hold' : usualFate(pod));
    await site.create('OpenStackService', 'victim', { chart: { name: 'keystone' }, release: '2025.1' });
    const victim = (what: string, is: (service: OpenStackService) => boolean) =>
      site.seen<OpenStackService>('OpenStackService', 'victim', what, is);
    const died = (service: OpenStackService) => condition(service, 'Degraded')?.reason === 'OperatorDied';
    const args = ['--controllers', 'service'];
    let running = await site.operator(args);
    await victim('ready', isReady);
    await site.patch('OpenStackService', 'victim', { release: '2025.2' });
    for (const revision of [2, 3]) {
      await until('its Helm', async () =>
        (await site.history('victim')).at(-1) === `${revision} pending-upgrade` ? true : undefined,
      );
      killContainer(running);
      await running.ended;
      await freeLease();
      if (revision === 2) running = await site.operator(args);
    }
    await site.create('OpenStackService', 'other', { chart: { name: 'keystone' }, release: '2025.1' });
    const log = async () => await readFile(join(site.directory, 'operator.log'), 'utf8');
    const written = (await log()).length;
    site.fate = usualFate;
    const shown = victim('OperatorDied', died);
    await using _ = await site.operator(args);
    assert.match((await shown).status?.message ?? '', /^kolla-operator died 2 times during a turn of this object/);
    const { status } = await victim('ready', (one) => isReady(one) && one.status?.release === '2025.2');
    assert.equal(status?.conditions?.find(({ type }) => type === 'Degraded')?.status, 'False');
    await site.seen<OpenStackService>('OpenStackService', 'other', 'ready', isReady);
    const text = (await log()).slice(written);
    assert.ok(text.indexOf('other: install') !== -1 && text.indexOf('other: install') < text.indexOf('victim: '));
  });

  test('tries a failed revision again that is dated an hour ahead, as after a clock that was set back', async () => {
    await site.create('OpenStackService', 'ahead', { chart: { name: 'keystone' }, release: '2025.1' });
    const ready = () => site.seen<OpenStackService>('OpenStackService', 'ahead', 'ready', isReady);
    const one = await site.operator();
    await ready();
    await one.stop();
    const last_deployed = new Date(Date.now() + 3_600_000).toISOString();
    await rewrite(site, 'ahead', { status: 'failed', description: 'Upgrade "ahead" failed', last_deployed });
    await using _ = await site.operator();
    await site.seen<OpenStackService>(
      'OpenStackService',
      'ahead',
      'revision 2',
      (service) => isReady(service) && service.status?.helm?.revision === 2,
    );
  });
});

/** Changes Helm's record of the first revision, such as to the state in which a killed `helm install` leaves it. */
async function rewrite(
  { client, namespace, cluster }: OperatorSite,
  name: string,
  info: { readonly status: string; readonly description?: string; readonly last_deployed?: string },
): Promise<void> {
  const { signal } = new AbortController();
  const path = `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.${name}.v1`;
  const secret = await client.get<{ data: { release: string } }>(path, { signal });
  const packed = Buffer.from(Buffer.from(secret.data.release, 'base64').toString(), 'base64');
  const record = JSON.parse(gunzipSync(packed).toString()) as { info: object };
  record.info = { ...record.info, ...info };
  const release = Buffer.from(gzipSync(JSON.stringify(record)).toString('base64')).toString('base64');
  await client.request('PATCH', path, { data: { release } }, { signal });
  const label = ['label', 'secret', `sh.helm.release.v1.${name}.v1`, `status=${info.status}`, '--overwrite'];
  await cluster.kubectl([...label, `--namespace=${namespace}`]);
}
