/**
 * A real Ceph as docs/how-to/advanced.md connects it: keys by the page's commands, Secrets of them in Pods of the charts, and in
 * these the drivers of OpenStack. No API of OpenStack runs, and no kernel maps an image.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canBuildKubernetes } from '../cluster/kubernetes/binaries.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunCeph } from '../cluster/ceph-programs.ts';
import { startCeph, type Ceph } from '../cluster/ceph.ts';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { firstLacking } from '../../tools/capability.ts';
import { PASSWORDS, rendering, type Rendered } from '../charts/support.ts';
import { runPage, type Secrets } from '../cloud/guest/ceph-page.ts';
import { canHaveCephImage, cephPod, type CephPod } from './ceph-pod.ts';

const EXAMPLES = 'k8s/charts/examples';
const MIB = 1024 ** 2;
const skip =
  (await firstLacking([canRunHelm, canRunMariadb, canBuildKubernetes, canBuildCore, canRunCeph, canHaveCephImage])) ??
  false;

/** An argument of a call: the result of an earlier one. */
const result = (index: number) => ({ result: index });

describe('an external Ceph', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let ceph: Ceph;
  let secrets: Secrets;
  let glance: CephPod;
  let volume: CephPod;
  let backup: CephPod;
  let nova: CephPod;
  let libvirt: CephPod;
  /** Glance's image, which other tests clone. */
  let image: string;

  const rendered = async (chart: string, values: object = {}, args: readonly string[] = []): Promise<Rendered> => {
    await using helm = await rendering(chart);
    return await helm.render(values, args);
  };
  const cinder = async (pod: CephPod, ...calls: (readonly unknown[])[]) => await pod.call('ceph-cinder', calls);
  const imagesIn = async (pool: string) => (await ceph.rbd('ls', pool)).split('\n').filter(Boolean).toSorted();
  const info = async (name: string) =>
    JSON.parse(await ceph.rbd('info', name, '--format', 'json')) as {
      size: number;
      parent?: { pool: string; image: string; snapshot: string };
    };

  before(async () => {
    ceph = stack.use(await startCeph());
    secrets = await runPage(ceph);
    const database = stack.use(await startMariadb());
    await database.query('CREATE DATABASE cinder CHARACTER SET utf8mb3');
    await database.query("CREATE USER cinder@'%' IDENTIFIED BY ?", [PASSWORDS['cinder_database_password'] ?? '']);
    await database.query("GRANT ALL ON cinder.* TO cinder@'%'");
    const site = { global: { endpoints: { mariadb: { host: database.host, port: database.port } } } };
    const charts = {
      cinder: await rendered('cinder', site),
      glance: await rendered('glance', {}, ['--values', `${EXAMPLES}/glance-ceph.yaml`]),
      nova: await rendered('nova-compute', {}, ['--values', `${EXAMPLES}/nova-compute-ceph.yaml`]),
    };
    volume = stack.use(await cephPod(charts.cinder, 'cinder-volume', 'cinder', secrets));
    backup = stack.use(await cephPod(charts.cinder, 'cinder-backup', 'cinder', secrets));
    glance = stack.use(await cephPod(charts.glance, 'glance-api', 'glance', secrets));
    nova = stack.use(await cephPod(charts.nova, 'nova-compute', 'nova', secrets));
    libvirt = stack.use(await cephPod(charts.nova, 'nova-libvirt', 'root', secrets));
    await volume.run(['cinder-manage', '--config-file', '/etc/cinder/cinder.conf', 'db', 'sync']);
  });
  after(async () => await stack.disposeAsync());

  test("the page's commands create the pools, a key per service and the Secrets that the charts mount", async () => {
    await ceph.clean();
    const pools = JSON.parse(await ceph.ceph('osd', 'pool', 'ls', '--format', 'json')) as string[];
    assert.deepEqual(pools.toSorted(), ['backups', 'images', 'vms', 'volumes']);
    assert.deepEqual([...secrets.keys()].toSorted(), ['ceph-cinder', 'ceph-glance', 'ceph-nova']);
    assert.match(await ceph.ceph('health'), /^HEALTH_OK/);
  });

  test('Glance uploads, reads and deletes an image', async () => {
    const [uploaded] = await glance.call('ceph-glance', [['upload', 'first', 'content', 10 * MIB]]);
    const { location } = uploaded as { location: string };
    assert.deepEqual(uploaded, { location: `rbd://${ceph.fsid}/images/first/snap`, size: 10 * MIB, store: 'ceph' });
    const read = await glance.call('ceph-glance', [
      ['download', location, 7],
      ['delete', location],
    ]);
    assert.deepEqual(read, [{ size: 10 * MIB, stated: 10 * MIB, begin: 'content' }, null]);
    assert.deepEqual(await imagesIn('images'), []);
  });

  test('Cinder reports the capacity, and clones an image of Glance within Ceph', async () => {
    const [uploaded] = await glance.call('ceph-glance', [['upload', 'base', 'of the image', 10 * MIB]]);
    image = (uploaded as { location: string }).location;
    const [stats, id] = await cinder(volume, ['stats'], ['create_from_image', image]);
    const { free_capacity_gb: free, ...others } = stats as { free_capacity_gb: number };
    assert.deepEqual(others, { backend_state: 'up', volume_backend_name: 'ceph' });
    assert.ok(free > 3 && free < 4, String(free));
    const { size, parent } = await info(`volumes/volume-${String(id)}`);
    assert.equal(size, 1024 * MIB);
    assert.deepEqual(parent && [parent.pool, parent.image, parent.snapshot], ['images', 'base', 'snap']);
    assert.deepEqual(await glance.call('ceph-glance', [['delete', image]]), ['InUseByStore']);
    await cinder(volume, ['delete', id]);
    assert.deepEqual(await imagesIn('volumes'), []);
  });

  test('Cinder snapshots, clones, extends and deletes volumes', async () => {
    const [id, , snapshot, , older, newer, ...others] = (await cinder(
      volume,
      ['create'],
      ['write', result(0), 0, 'first'],
      ['snapshot', result(0)],
      ['write', result(0), 0, 'later'],
      ['create_from_snapshot', result(2)],
      ['create_from_volume', result(0)],
      ['read', result(4), 0, 5],
      ['read', result(5), 0, 5],
      ['extend', result(0), 2],
    )) as string[];
    assert.deepEqual(others, ['first', 'later', null]);
    assert.equal((await info(`volumes/volume-${id}`)).size, 2048 * MIB);
    assert.equal((await info(`volumes/volume-${older}`)).parent?.image, `volume-${id}`);
    await cinder(volume, ['delete', newer], ['delete', older], ['delete_snapshot', snapshot], ['delete', id]);
    // Cinder 28 keeps the source of a clone under this name, even after the clone is deleted.
    assert.deepEqual(await imagesIn('volumes'), [`volume-${id}.deleted`]);
  });

  test('Cinder converts an image that cannot be cloned, without privileges', async () => {
    const file = '/var/lib/cinder/image.qcow2';
    await volume.run(['qemu-img', 'create', '-f', 'qcow2', file, '64M']);
    await volume.run(['qemu-io', '-c', 'write -P 7 0 64k', file]);
    const [id] = (await cinder(volume, ['create_from_file', file])) as string[];
    assert.equal((await info(`volumes/volume-${id}`)).size, 1024 * MIB);
    const disk = `rbd:volumes/volume-${id}:id=cinder:conf=/etc/ceph/ceph.conf`;
    const read = await volume.run(['qemu-io', '-f', 'raw', '-c', 'read -P 7 0 64k', '-c', 'read -P 0 64k 64k', disk]);
    assert.doesNotMatch(read, /failed/);
    await cinder(volume, ['delete', id]);
  });

  test('cinder-backup backs up a volume, then what has changed, and restores both', async () => {
    const existing = await imagesIn('volumes');
    const [id, , full, , changed, ...others] = await cinder(
      backup,
      ['create'],
      ['write', result(0), 0, 'first'],
      ['backup', result(0), null],
      ['write', result(0), 8 * MIB, 'second'],
      ['backup', result(0), result(2)],
      ['restore', result(2)],
      ['restore', result(4)],
      ...[5, 6].flatMap((index) => [0, 8 * MIB].map((offset) => ['read', result(index), offset, 6])),
    );
    const [first, second, ...contents] = others;
    assert.deepEqual(contents, ['first\0', '\0'.repeat(6), 'first\0', 'second']);
    assert.deepEqual(await imagesIn('backups'), [`volume-${String(id)}.backup.${String(full)}`]);
    await cinder(
      backup,
      ['delete_backup', changed],
      ['delete_backup', full],
      ...[id, first, second].map((each) => ['delete', each]),
    );
    assert.deepEqual(await imagesIn('backups'), []);
    assert.deepEqual(await imagesIn('volumes'), existing);
  });

  test("a service's key does not reach another's pool", async () => {
    const as = (pod: CephPod, user: string, ...args: string[]) => pod.run(['rbd', '--id', user, ...args]);
    await assert.rejects(as(glance, 'glance', 'ls', 'volumes'), /Operation not permitted/);
    await assert.rejects(as(volume, 'cinder', 'create', '--size', '1', 'images/x'), /Operation not permitted/);
    await assert.rejects(as(backup, 'cinder-backup', 'ls', 'volumes'), /Operation not permitted/);
    await assert.rejects(as(nova, 'nova', 'ls', 'volumes'), /Operation not permitted/);
  });

  test("Nova clones an image for an instance's disk, imports another, and deletes both", async () => {
    const monitor = /v1:(?<address>[\d.:]+)/.exec(ceph.confFile)?.groups?.['address'];
    const [options, ...others] = await nova.call('ceph-nova', [
      ['options'],
      ['monitors'],
      ['free'],
      ['clone', image, 'instance_disk'],
      ['import_file', 'instance_disk.config'],
    ]);
    assert.deepEqual(options, {
      images_type: 'rbd',
      rbd_user: 'nova',
      rbd_secret_uuid: '00000000-1111-2222-3333-444444444444',
      disk_cachemodes: ['network=writeback'],
    });
    assert.deepEqual(others, [[monitor], true, true, MIB]);
    assert.equal((await info('vms/instance_disk')).parent?.image, 'base');
    await nova.call('ceph-nova', [['destroy', 'instance_']]);
    assert.deepEqual(await imagesIn('vms'), []);
  });

  test('libvirt gets the keys under the UUIDs that Nova and Cinder name', async () => {
    const conf = {
      nova: await nova.run(['cat', '/etc/nova/nova.conf']),
      cinder: await volume.run(['cat', '/etc/cinder/cinder.conf']),
    };
    for (const user of ['nova', 'cinder'] as const) {
      const uuid = /^rbd_secret_uuid = (\S+)$/m.exec(conf[user])?.[1] ?? '';
      const file = `/etc/libvirt/secrets/${uuid}`;
      assert.match(await libvirt.run(['cat', `${file}.xml`]), new RegExp(`<uuid>${uuid}</uuid>[^]*client\\.${user}<`));
      assert.equal(await libvirt.run(['cat', `${file}.base64`]), await ceph.ceph('auth', 'get-key', `client.${user}`));
    }
  });
});
