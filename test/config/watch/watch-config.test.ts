import assert from 'node:assert/strict';
import { mkdir, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '../../../src/core/errors.ts';
import { pathWatcher } from '../../../src/config/watch/path-watcher.ts';
import { pod } from '../support.ts';
import { oneFile, Volume, watching } from './support.ts';

/** Reports no events, like inotify on some network file systems. */
const deaf: typeof pathWatcher = () => ({ watch: () => false, [Symbol.dispose]: () => {} });

test('an updated ConfigMap is installed', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
  await watch.when('both to be counted', ({ applied }) => applied === 2);
});

test('a plain directory is watched too: a file rewritten, replaced, and added', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'config.json'), oneFile());
  await p.write(join(p.configDir, 'a.conf'), 'one');
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await writeFile(join(p.configDir, 'a.conf'), 'written');
  await watch.placed('etc/a.conf', 'written');
  await writeFile(join(p.configDir, 'a.conf.new'), 'replaced');
  await rename(join(p.configDir, 'a.conf.new'), join(p.configDir, 'a.conf'));
  await watch.placed('etc/a.conf', 'replaced');
});

test('an already installed version is not a change', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await p.apply();
  await using watch = watching(p);
  await watch.when('the first poll', ({ state }) => state === 'in-step');
  const { version: first } = watch.status();
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one', 'unused.conf': 'new' });
  await watch.when('the second', ({ version }) => version !== first);
  assert.deepEqual(watch.changes, []);
  assert.equal(watch.status().applied, 0);
});

test('a ConfigMap that was changed and changed back is examined under its new name', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p);
  await watch.when('the first poll', ({ state }) => state === 'in-step');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  const now = await readlink(join(p.configDir, '..data'));
  await watch.when('its name', ({ configMap }) => configMap === now);
  assert.equal(watch.status().applied, 1);
});

test('an invalid version is rejected with all its problems, once, and the next valid one is installed', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p, { pollMs: 50 });
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile({ perm: '9', owner: 7 }), 'a.conf': 'two' });
  await watch.when('the refusal to be logged', () => watch.said().includes('rejected'));
  assert.match(watch.said(), /rejected, [0-9a-f]{12} stays installed: .*owner.*perm/);
  assert.equal(watch.status().state, 'refused');
  await volume.swap({ 'config.json': oneFile({ perm: '0640' }), 'a.conf': 'three' });
  await watch.placed('etc/a.conf', 'three');
  await watch.when('the rejection to end', ({ state, problem }) => state === 'in-step' && problem === undefined);
  assert.equal(watch.status().refused, 1);
  assert.equal(watch.said().match(/rejected/g)?.length, 1);
});

test('a rejection does not claim that the old version stays whole if a version in between has failed', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  let tries = 0;
  const finish = () => {
    if (++tries < 2) return [];
    throw new UnavailableError('the volume is full');
  };
  await using watch = watching(p, { finish });
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.when('the failure', ({ failed }) => failed > 0);
  await volume.swap({ 'config.json': oneFile({ perm: '9' }), 'a.conf': 'three' });
  await watch.when('the refusal', ({ refused }) => refused === 1);
  assert.match(watch.said(), /rejected, [0-9a-f]{12} stays installed, except files of a version that failed: .*perm/);
  await watch.placed('etc/a.conf', 'two');
});

test('a source missing in the new version rejects it, and the old file stays', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile() });
  await watch.when('the refusal', ({ state }) => state === 'refused');
  await watch.placed('etc/a.conf', 'one');
});

test('a version whose only section is misspelt is rejected, as all installed files would be removed', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile().replace('config_files', 'config_filez'), 'a.conf': 'two' });
  await watch.when('the refusal to be logged', () => watch.said().includes('rejected'));
  assert.match(watch.said(), /config_filez: there is no such section; did you mean 'config_files'\?/);
  await watch.placed('etc/a.conf', 'one');
});

test("a custom section unlike any of Kolla's does not prevent a version without files", async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': JSON.stringify({ command: 'true', maintainer: 'us' }) });
  await watch.when('the new version to be applied', ({ applied }) => applied === 2);
  await assert.rejects(stat(join(p.root, 'etc/a.conf')), { code: 'ENOENT' });
});

test('a configuration that appears later is installed', async () => {
  await using p = await pod();
  await using watch = watching(p);
  await watch.when('its absence', ({ state }) => state === 'absent');
  await new Volume(p.configDir).swap({ 'config.json': oneFile(), 'a.conf': 'late' });
  await watch.placed('etc/a.conf', 'late');
});

test('a deleted and re-created directory is still watched', async () => {
  await using p = await pod();
  await new Volume(p.configDir).swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await rm(p.configDir, { recursive: true });
  await watch.when('its absence', ({ state }) => state === 'absent');
  const again = new Volume(p.configDir);
  await again.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
  await again.swap({ 'config.json': oneFile(), 'a.conf': 'three' });
  await watch.placed('etc/a.conf', 'three');
});

test('a re-created directory gets a watch of its own', async () => {
  await using p = await pod();
  await new Volume(p.configDir).swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  let watches = 0;
  const counted: typeof pathWatcher = (...reports) => {
    const watcher = pathWatcher(...reports);
    return {
      watch(...given) {
        const isNew = watcher.watch(...given);
        if (isNew) watches += 1;
        return isNew;
      },
      [Symbol.dispose]: () => watcher[Symbol.dispose](),
    };
  };
  await using watch = watching(p, { watcher: counted });
  await watch.placed('etc/a.conf', 'one');
  const before = watches;
  await rm(p.configDir, { recursive: true });
  const again = new Volume(p.configDir);
  await again.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
  // The next version is found after the watch was set up.
  await again.swap({ 'config.json': oneFile(), 'a.conf': 'three' });
  await watch.placed('etc/a.conf', 'three');
  assert.ok(watches > before, 'it relies on the watch of the directory that was removed');
});

test('the parent directory may disappear and reappear; the watch is then re-created', async () => {
  await using p = await pod();
  const above = join(p.configDir, '..', 'above');
  const inside = { ...p, configDir: join(above, 'config_files') };
  await new Volume(inside.configDir).swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(inside, { pollMs: 100 });
  await watch.placed('etc/a.conf', 'one');
  await rm(above, { recursive: true });
  await watch.when('its absence', ({ state }) => state === 'absent');
  await mkdir(above);
  await new Volume(inside.configDir).swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
});

test('a directory that is a link is watched at its target', async () => {
  await using p = await pod();
  const volume = new Volume(join(p.configDir, '..', 'volume'));
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await rm(p.configDir, { recursive: true });
  await symlink('volume', p.configDir);
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
});

test('without watcher events a change is detected later, but not missed', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p, { pollMs: 50, watcher: deaf });
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
  assert.match(watch.said(), /without a watch event/);
});

test('without polling and watcher events nothing is found: the previous test can fail', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await using watch = watching(p, { watcher: deaf });
  await watch.placed('etc/a.conf', 'one');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await sleep(300);
  await watch.placed('etc/a.conf', 'one');
});

test('a failed watch is logged once, and polling takes over', async () => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  const exhausted: typeof pathWatcher = (_, onTrouble) => ({
    watch() {
      onTrouble('ENOSPC: System limit for number of file watchers reached');
      return true;
    },
    [Symbol.dispose]: () => {},
  });
  await using watch = watching(p, { pollMs: 50, watcher: exhausted });
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'three' });
  await watch.placed('etc/a.conf', 'three');
  assert.equal(watch.said().match(/cannot watch all .*ENOSPC/g)?.length, 1);
});

test('a source in another volume is watched, from the version that names it', async () => {
  await using p = await pod();
  const [volume, extra] = [new Volume(p.configDir), new Volume(join(p.configDir, '..', 'extra'))];
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await extra.swap({ 'deep/b.conf': 'other' });
  await using watch = watching(p);
  await watch.placed('etc/a.conf', 'one');
  const source = join(extra.directory, 'deep/b.conf');
  await volume.swap({ 'config.json': oneFile({ source }), 'a.conf': 'unused' });
  await watch.placed('etc/a.conf', 'other');
  await extra.swap({ 'deep/b.conf': 'two' });
  await watch.placed('etc/a.conf', 'two');
});

test('after a system error the installation is retried until it succeeds', async () => {
  await using p = await pod();
  await new Volume(p.configDir).swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  let tries = 0;
  const finish = () => {
    if (++tries > 1) return [];
    throw new UnavailableError('the volume is full');
  };
  await using watch = watching(p, { finish });
  await watch.when('the second attempt', ({ state, failed }) => state === 'in-step' && failed === 1);
  assert.match(watch.said(), /retrying in .*the volume is full/);
  assert.equal(watch.changes.length, 1);
});
