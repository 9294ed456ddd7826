/** A restarted watch acts on versions that are new, and keeps what the service has rewritten. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneFile } from '../../config/watch/support.ts';
import { runHelper } from '../../support/helper.ts';
import { prepared, sidecar } from './watch-support.ts';

type Prepared = Awaited<ReturnType<typeof prepared>>;

const fileOf = (p: Prepared) => join(p.root, 'etc/a.conf');

/** A Pod whose watch has ended, and whose service has rewritten its file since. */
async function rewritten(): Promise<Prepared & { readonly actions: string[]; fired(): Promise<string> }> {
  const p = await prepared();
  const fired = join(p.configDir, '..', 'fired');
  const actions = ['--on-change', `exec:sh -c 'echo fired >> ${fired}'`];
  await using watch = await sidecar(p, actions);
  await watch.until(/already installed/);
  await watch.running.stop();
  await writeFile(fileOf(p), 'written by the service');
  return { ...p, actions, fired: () => readFile(fired, 'utf8').catch(() => '') };
}

test('with the same version, a rewritten file is kept and no action runs; check shows it', async () => {
  await using p = await rewritten();
  await using watch = await sidecar(p, p.actions);
  const said = await watch.until(/already installed/);
  assert.match(said, /was installed before; changed since then, and kept: \/etc\/a\.conf; kolla-init check shows/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'written by the service');
  const check = await runHelper('kolla-init', ['check', '--root', p.root, '--config-dir', p.configDir]);
  assert.equal(check.code, 1);
  assert.match(check.stdout, /\/etc\/a\.conf/);
  // The next version is installed as a whole.
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'two');
  assert.equal(await p.fired(), 'fired\n');
});

test('a version that changed while no watch ran is installed, with its action', async () => {
  await using p = await rewritten();
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await using watch = await sidecar(p, p.actions);
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'two');
  assert.equal(await p.fired(), 'fired\n');
});

test("another value of this Pod's own is a new version", async () => {
  await using p = await rewritten();
  const podFile = join(p.configDir, '..', 'kolla-pod.yaml');
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': '[DEFAULT]\n' });
  const env = { KOLLA_POD_CONFIG: podFile, POD_IP: '10.0.0.1' };
  for (const key of ['host', 'my_ip']) {
    await writeFile(podFile, `overlays: {ini: [{file: /etc/a.conf, key: ${key}, value: $(POD_IP)}]}`);
    await using watch = await sidecar(p, p.actions, env);
    await watch.until(/exec:sh: done/);
    assert.equal(await readFile(fileOf(p), 'utf8'), `[DEFAULT]\n${key} = 10.0.0.1\n`);
  }
});

test('--repair installs the file again', async () => {
  await using p = await rewritten();
  await using watch = await sidecar(p, [...p.actions, '--repair']);
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'one');
});

test('a missing file is installed, as in a new volume', async () => {
  await using p = await rewritten();
  await rm(fileOf(p));
  await using watch = await sidecar(p, p.actions);
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'one');
});

test('what a killed watch had begun is finished, though the version is the former one again', async () => {
  await using p = await rewritten();
  await writeFile(join(p.root, 'run/kolla/watch-pending'), '');
  await using watch = await sidecar(p, p.actions);
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'one');
});

test('a damaged record is not used, and named', async () => {
  await using p = await rewritten();
  await writeFile(join(p.root, 'run/kolla/config-watch.json'), '{');
  await using watch = await sidecar(p, p.actions);
  const said = await watch.until(/exec:sh: done/);
  assert.match(said, /the record of an earlier watch is not used: \S+config-watch\.json/);
  assert.equal(await readFile(fileOf(p), 'utf8'), 'one');
});
