import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { logShipQuestion } from '../../../src/probe/checks/log-ship.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { must } from '../../../tools/process.ts';
import { runHelper, startHelper, logLines } from '../../support/helper.ts';
import { until } from '../../support/until.ts';

const LINE = '2026-01-31 10:00:00.123 7 INFO nova.compute [-] a line\n';

async function logs() {
  const directory = await privateDirectory('log-ship');
  const [log, stateDir] = [join(directory.path, 'nova/nova-compute.log'), join(directory.path, '.kolla-log-ship')];
  await mkdir(join(directory.path, 'nova'));
  await writeFile(log, LINE);
  return { root: directory.path, log, stateDir, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

async function probe(stateDir: string, ...more: string[]): Promise<{ code: number; msg: string }> {
  const { code, stderr } = await runHelper('kolla-probe', ['log-ship', '--state', stateDir, ...more]);
  return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
}

/** Backdates the checkpoint by two hours. */
async function makeOld(stateDir: string): Promise<void> {
  const then = Date.now() / 1000 - 7200;
  await utimes(join(stateDir, 'checkpoint.json'), then, then);
}

test('a working shipper is healthy; a stopped one is not, as soon as bytes are left', async () => {
  await using l = await logs();
  assert.match((await probe(l.stateDir)).msg, /there is no .*checkpoint\.json: does kolla-log-ship run/);
  assert.equal((await runHelper('kolla-log-ship', ['--once', '--root', l.root])).code, 0);
  await makeOld(l.stateDir);
  assert.deepEqual(await probe(l.stateDir), { code: 0, msg: '' });
  await appendFile(l.log, LINE);
  const { code, msg } = await probe(l.stateDir, '--timeout', '300ms');
  assert.equal(code, 1);
  assert.equal(
    msg,
    `log-ship: no response in 300ms: ${LINE.length} bytes of 1 files are not acknowledged, the last were 2h ago`,
  );
  assert.equal((await probe(l.stateDir, '--within', '3h')).code, 0);
});

test('an unterminated last line waits for its writer, not for the shipper', async () => {
  await using l = await logs();
  assert.equal((await runHelper('kolla-log-ship', ['--once', '--root', l.root])).code, 0);
  await makeOld(l.stateDir);
  await appendFile(l.log, LINE.trimEnd());
  assert.deepEqual(await probe(l.stateDir), { code: 0, msg: '' });
  await appendFile(l.log, '\n');
  const { code, msg } = await probe(l.stateDir, '--timeout', '300ms');
  assert.equal(code, 1);
  assert.match(msg, new RegExp(`: ${LINE.length} bytes of 1 files are not acknowledged`));
});

test('the first line after a quiet time gets time for its acknowledgement', async () => {
  await using l = await logs();
  await using _ = await startHelper('kolla-log-ship', ['--root', l.root]);
  const file = join(l.stateDir, 'checkpoint.json');
  await until('the first checkpoint', async () => {
    return (await readFile(file, 'utf8').catch(() => '')).includes(`"offset":${LINE.length}`) || undefined;
  });
  await makeOld(l.stateDir);
  await appendFile(l.log, LINE);
  assert.deepEqual(await probe(l.stateDir, '--timeout', '20s'), { code: 0, msg: '' });
});

test('a stopped shipper is detected by a file that replaces a rotated one', async () => {
  await using l = await logs();
  assert.equal((await runHelper('kolla-log-ship', ['--once', '--root', l.root])).code, 0);
  await makeOld(l.stateDir);
  await rename(l.log, `${l.log}.1`);
  assert.deepEqual(await probe(l.stateDir), { code: 0, msg: '' });
  await writeFile(l.log, LINE);
  const { code, msg } = await probe(l.stateDir, '--timeout', '300ms');
  assert.equal(code, 1);
  assert.match(msg, new RegExp(`: ${LINE.length} bytes of 1 files are not acknowledged`));
});

test('a stopped shipper is detected by lines in a file that was cut', async () => {
  await using l = await logs();
  await appendFile(l.log, LINE.repeat(9));
  assert.equal((await runHelper('kolla-log-ship', ['--once', '--root', l.root])).code, 0);
  await makeOld(l.stateDir);
  await truncate(l.log, LINE.length);
  await appendFile(l.log, LINE);
  const { code, msg } = await probe(l.stateDir, '--timeout', '300ms');
  assert.equal(code, 1);
  assert.match(msg, new RegExp(`: ${2 * LINE.length} bytes of 1 files are not acknowledged`));
});

test('a rotated file does not count, and a shipper without lines is healthy', async () => {
  await using l = await logs();
  const asked = () => logShipQuestion({ stateDir: l.stateDir, withinMs: 0 }).ask(AbortSignal.timeout(300));
  await mkdir(l.stateDir);
  await writeFile(join(l.stateDir, 'source-id'), 'x\n');
  assert.deepEqual(await asked(), { healthy: true, detail: 'there was nothing to ship yet' });
  const entry = (path: string) => ({ generation: { path, dev: 1, ino: 1 }, mark: { offset: 0 } });
  const files = [entry(join(l.root, 'gone.log'))];
  await writeFile(join(l.stateDir, 'checkpoint.json'), JSON.stringify({ version: 1, files }));
  assert.deepEqual(await asked(), { healthy: true, detail: 'everything is acknowledged' });
  await writeFile(join(l.stateDir, 'checkpoint.json'), '{"version":');
  const verdict = await asked();
  assert.ok(!verdict.healthy);
  assert.match(verdict.reason, /^cannot read .*checkpoint\.json: /);
  await rm(join(l.stateDir, 'checkpoint.json'));
  await must('mkfifo', [join(l.stateDir, 'checkpoint.json')]);
  const other = await asked();
  assert.ok(!other.healthy);
  assert.match(other.reason, /^cannot read .*checkpoint\.json is not a regular file$/);
});
