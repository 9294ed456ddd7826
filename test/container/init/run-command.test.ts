import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveRunCommand } from '../../../src/container/init/run-command.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS } from '../../support/helper.ts';
import { must, run } from '../../../tools/process.ts';
import { recordedLog } from '../../support/recorded-log.ts';

async function stage() {
  const directory = await privateDirectory('command');
  const { log, said } = recordedLog();
  const runDirectory = join(directory.path, 'run/kolla');
  return {
    root: directory.path,
    run: runDirectory,
    file: join(runDirectory, 'run_command'),
    log,
    said,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('the command is in /run/kolla as in config.json, for the user and its group', async () => {
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  await chmod(pod.run, 0o777);
  leaveRunCommand(pod.root, 'keystone-api --log "x" ', pod.log);
  assert.equal(await readFile(pod.file, 'utf8'), 'keystone-api --log "x" ');
  assert.deepEqual([await modeOf(pod.file), await modeOf(pod.run)], [0o640, 0o750]);
});

test('an up-to-date file is not rewritten, and a different one is replaced', async () => {
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  leaveRunCommand(pod.root, 'first', pod.log);
  const { ino } = await stat(pod.file);
  leaveRunCommand(pod.root, 'first', pod.log);
  assert.equal((await stat(pod.file)).ino, ino);
  leaveRunCommand(pod.root, 'second', pod.log);
  assert.equal(await readFile(pod.file, 'utf8'), 'second');
  assert.deepEqual(await readdir(pod.run), ['run_command']);
});

test('a FIFO that the service left is replaced without waiting for its writer', async () => {
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  await must('mkfifo', [pod.file]);
  assert.equal(leaveRunCommand(pod.root, 'first', pod.log), true);
  assert.ok((await stat(pod.file)).isFile());
  assert.equal(await readFile(pod.file, 'utf8'), 'first');
});

test('without a volume nothing is created', async () => {
  await using pod = await stage();
  leaveRunCommand(pod.root, 'x', pod.log);
  assert.deepEqual(await readdir(pod.root), []);
  assert.equal(pod.said(), '');
});

/** Runs the command with the directory mounted read-only, also for root. */
const READ_ONLY = ['--user', '--map-root-user', '--mount', 'sh', '-c', 'mount -t tmpfs -o ro none "$0" && exec "$@"'];

test('an unwritable directory is logged, and not a failure', async (t) => {
  await using pod = await stage();
  await mkdir(pod.run, { recursive: true });
  const tried = await run('unshare', [...READ_ONLY, pod.run, 'true']);
  if (tried.code !== 0) return t.skip(`cannot mount read-only here: ${tried.stderr.trim()}`);
  await writeFile(join(pod.root, 'config.json'), JSON.stringify({ command: 'x' }));
  const init = [process.execPath, HELPERS, 'kolla-init', '--root', pod.root, '--config-dir', pod.root];
  const { code, stderr } = await run('unshare', [...READ_ONLY, pod.run, ...init]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /run\/kolla is not writable/);
});
