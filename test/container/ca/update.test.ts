import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SignalError } from '../../../src/core/errors.ts';
import { runUpdate } from '../../../src/container/start/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { until } from '../../support/until.ts';

/** The update of the image, which writes its pids to `pids` after it has started to ignore SIGTERM. */
async function update(directory: string, body: string): Promise<{ readonly program: string; readonly pids: string }> {
  const [program, pids] = [join(directory, 'update-ca-certificates'), join(directory, 'pids')];
  await writeFile(program, `#!/bin/sh\ntrap '' TERM\n${body.replaceAll('PIDS', pids)}\n`);
  await chmod(program, 0o755);
  return { program, pids };
}

/** The body of an update that starts a child; both ignore SIGTERM, because the child inherits that. */
const DEAF = `sleep 300 & echo $$ $! > PIDS.new; mv PIDS.new PIDS; wait`;

/** Resolves when no process of the file `pids` runs. Zombies, which may not be reaped yet, do not count. */
async function noneRuns(pids: string): Promise<void> {
  const isRunning = (pid: string) => {
    try {
      return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  const all = readFileSync(pids, 'utf8').trim().split(' ');
  assert.equal(all.length, 2);
  await until('all processes to exit', () => Promise.resolve(all.some(isRunning) ? undefined : true));
}

test('an update that ignores SIGTERM is killed with its children on shutdown', async () => {
  await using directory = await privateDirectory('update');
  const { program, pids } = await update(directory.path, DEAF);
  const stop = new AbortController();
  const { log } = recordedLog();
  const ended = runUpdate(program, { env: {}, signal: stop.signal, log });
  await until('the update to ignore SIGTERM', () => Promise.resolve(existsSync(pids) || undefined));
  stop.abort(new SignalError('SIGTERM'));
  await assert.rejects(ended, SignalError);
  await noneRuns(pids);
});

test('an update that ignores SIGTERM is killed at its deadline, with an error in the log', async () => {
  await using directory = await privateDirectory('update');
  const { program, pids } = await update(directory.path, DEAF);
  const deadline = new AbortController();
  const { log, said } = recordedLog();
  const ended = runUpdate(program, {
    env: {},
    signal: new AbortController().signal,
    log,
    deadline: deadline.signal,
  });
  await until('the update to ignore SIGTERM', () => Promise.resolve(existsSync(pids) || undefined));
  deadline.abort();
  assert.equal(await ended, 1);
  assert.match(said(), /did not exit within 120 s: the CA bundle may lack/);
  await noneRuns(pids);
});

test('an update is not started after shutdown', async () => {
  await using directory = await privateDirectory('update');
  const { program, pids } = await update(directory.path, `echo $$ > PIDS`);
  const signal = AbortSignal.abort(new SignalError('SIGTERM'));
  await assert.rejects(runUpdate(program, { env: {}, signal, log: recordedLog().log }), SignalError);
  assert.ok(!existsSync(pids));
});

test("an update's exit code is passed on", async () => {
  await using directory = await privateDirectory('update');
  const { program } = await update(directory.path, 'exit 3');
  const { log, said } = recordedLog();
  assert.equal(await runUpdate(program, { env: {}, signal: new AbortController().signal, log }), 3);
  assert.match(said(), /exited with code 3/);
});
