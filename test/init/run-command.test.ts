import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog } from '../../src/cli/log.ts';
import { leaveRunCommand } from '../../src/init/run-command.ts';
import { privateFolder } from '../support/folder.ts';

async function stage() {
  const folder = await privateFolder('command');
  let said = '';
  const log = createLog({
    helper: 'test',
    level: 'debug',
    format: 'json',
    terminal: { isTerminal: false, color: false, width: 80 },
    write: (text) => (said += text),
    now: () => new Date(),
  });
  const run = join(folder.path, 'run/kolla');
  return {
    root: folder.path,
    run,
    file: join(run, 'run_command'),
    log,
    said: () => said,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('the command lies in /run/kolla as it stands in config.json, for the user and its group', async () => {
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  await chmod(pod.run, 0o777);
  await leaveRunCommand(pod.root, 'keystone-api --log "x" ', pod.log);
  assert.equal(await readFile(pod.file, 'utf8'), 'keystone-api --log "x" ');
  assert.deepEqual([await modeOf(pod.file), await modeOf(pod.run)], [0o640, 0o750]);
});

test('what is right already is not written again, and what is not is replaced', async () => {
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  await leaveRunCommand(pod.root, 'first', pod.log);
  const { ino } = await stat(pod.file);
  await leaveRunCommand(pod.root, 'first', pod.log);
  assert.equal((await stat(pod.file)).ino, ino);
  await leaveRunCommand(pod.root, 'second', pod.log);
  assert.equal(await readFile(pod.file, 'utf8'), 'second');
  assert.deepEqual(await readdir(pod.run), ['run_command']);
});

test('without a volume there nothing is made', async () => {
  await using pod = await stage();
  await leaveRunCommand(pod.root, 'x', pod.log);
  assert.deepEqual(await readdir(pod.root), []);
  assert.equal(pod.said(), '');
});

test('a folder that is not ours to write is said, and no failure', async (t) => {
  if (process.geteuid?.() === 0) return t.skip('root may write everywhere');
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  await chmod(pod.run, 0o555);
  await leaveRunCommand(pod.root, 'x', pod.log);
  assert.match(pod.said(), /is not writable/);
});
