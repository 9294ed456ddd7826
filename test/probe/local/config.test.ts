import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { join } from 'node:path';
import { configQuestion } from '../../../src/probe/checks/config.ts';
import { configRecordFile } from '../../../src/fs/config-record.ts';
import type { Pod } from '../../config/support.ts';
import { oneFile } from '../../config/watch/support.ts';
import { prepared, sidecar } from '../../container/init/watch-support.ts';
import { logLines, runHelper } from '../../support/helper.ts';
import { until } from '../../support/until.ts';
import { must } from '../../../tools/process.ts';

async function probe(p: Pod, ...more: string[]): Promise<{ code: number; msg: string }> {
  const words = ['config', '--root', p.root, '--config-dir', p.configDir, ...more];
  const { code, stderr } = await runHelper('kolla-probe', words);
  return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
}

/** Checks until the reason matches; the record is written after the log line. */
async function reason(p: Pod, what: RegExp, ...more: string[]): Promise<void> {
  await until(`the reason ${what}`, async () => {
    const { code, msg } = await probe(p, ...more);
    return code === 1 && what.test(msg) ? true : undefined;
  });
}

test('reads the record of a real watch: up to date, rejected, fixed, and stale', async () => {
  await using p = await prepared();
  await reason(p, /there is no .*config-watch\.json: does kolla-init watch run/);
  await using watch = await sidecar(p, []);
  const healthy = () =>
    until('the newest version to be installed', async () => ((await probe(p)).code === 0 ? true : undefined));
  await healthy();
  await p.volume.swap({ 'config.json': '{', 'a.conf': 'two' });
  await reason(p, /^config: version [0-9a-f]{12} rejected, [0-9a-f]{12} stays installed: .*config\.json/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'three' });
  await healthy();
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'three');
  watch.running.child.kill('SIGKILL');
  await watch.running.ended;
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'four' });
  assert.deepEqual(await probe(p), { code: 0, msg: '' });
  await reason(p, /version \.\.2026\S+ is there for .* was not read: does kolla-init watch run\?/, '--within', '0');
});

test('an invalid record is unhealthy, and its file named', async () => {
  await using p = await prepared();
  const file = configRecordFile(p.root);
  const asked = () => configQuestion({ ...p, withinMs: 1000 }).ask(new AbortController().signal);
  for (const text of ['', '[]', 'null', '{"state":"fine"}', '{"state":"in-step","version":7}']) {
    await writeFile(file, text);
    const verdict = await asked();
    assert.ok(!verdict.healthy);
    assert.match(verdict.reason, /^cannot read .*config-watch\.json: /);
  }
  await rm(file);
  await must('mkfifo', [file]);
  const verdict = await asked();
  assert.ok(!verdict.healthy);
  assert.match(verdict.reason, /^cannot read .*config-watch\.json is not a regular file$/);
  await rm(file);
  await writeFile(file, '{"state":"absent","problem":"there is no config.json in /config"}');
  assert.deepEqual(await asked(), { healthy: false, reason: 'there is no config.json in /config' });
  await writeFile(file, '{"state":"failed","looked":"abc","problem":"ENOSPC: no space"}');
  assert.deepEqual(await asked(), {
    healthy: false,
    reason: 'version abc could not be installed: ENOSPC: no space',
  });
});

test('if the ConfigMap is not mounted, or is a plain directory, only the record counts', async () => {
  await using p = await prepared();
  await writeFile(configRecordFile(p.root), '{"state":"in-step","version":"abc","configMap":"..2026_1"}');
  const asked = (configDir: string) =>
    configQuestion({ root: p.root, configDir, withinMs: 0 }).ask(new AbortController().signal);
  assert.deepEqual(await asked(join(p.root, 'nowhere')), { healthy: true, detail: 'version abc' });
  assert.equal((await asked(p.configDir)).healthy, false);
});
