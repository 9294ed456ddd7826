import assert from 'node:assert/strict';
import {
  chmod,
  copyFile,
  link,
  lstat,
  lutimes,
  mkdir,
  readFile,
  readdir,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { NAMES, ROOTLESS_NAMES } from '../../build/names.ts';
import { CORE_NAMES } from '../../src/toolbox/install/core-names.ts';
import { canHaveSmallDisk } from '../cluster/small-disk.ts';
import { canGiveFilesAway, type Capability } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { HELPERS, runHelper, startHelper } from '../support/helper.ts';
import { must, run, start } from '../../tools/process.ts';
import { until } from '../support/until.ts';

/** Used in place of the binary, because install does not inspect executables. */
const PROGRAM = '#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n';

/** The names that link to kolla-pod where there is no kolla-core. */
const UNRAISED = NAMES.filter((name) => name !== 'kolla_set_configs' && name !== 'kolla_copy_cacerts').toSorted();

/** A directory with an executable to install, and the path of a volume that does not exist yet. */
async function stage(program: string = PROGRAM) {
  const directory = await privateDirectory('install');
  const source = join(directory.path, 'source');
  await writeFile(source, program, { mode: 0o755 });
  const volume = join(directory.path, 'volume');
  const install = (...args: string[]) => runHelper('kolla-pod', ['install', volume, '--from', source, ...args]);
  return { directory, source, volume, install, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

async function needs(t: TestContext, capability: Capability): Promise<boolean> {
  const reason = await capability();
  if (reason !== undefined) t.skip(reason);
  return reason === undefined;
}

test('installs the binary and one link per name', async () => {
  await using one = await stage();
  const { code, stderr } = await one.install();
  assert.equal(code, 0, stderr);
  assert.match(stderr, /installed/);
  assert.deepEqual((await readdir(one.volume)).toSorted(), ['bin', 'kolla-pod', 'rootless-bin']);
  assert.deepEqual((await readdir(join(one.volume, 'bin'))).toSorted(), UNRAISED);
  assert.deepEqual(await readdir(join(one.volume, 'rootless-bin')), [...ROOTLESS_NAMES]);
  assert.equal(await readFile(join(one.volume, 'kolla-pod'), 'utf8'), PROGRAM);
  assert.equal(await readlink(join(one.volume, 'bin/kolla-init')), '../kolla-pod');
  assert.equal(await must(join(one.volume, 'bin/kolla-init'), ['x']), `${join(one.volume, 'bin/kolla-init')}\nx\n`);
  assert.equal(await readlink(join(one.volume, 'rootless-bin/sudo')), '../kolla-pod');
});

test('--core installs only kolla-core and its names', async () => {
  await using one = await stage();
  const { code, stderr } = await one.install('--core');
  assert.equal(code, 69, stderr);
  assert.match(
    stderr,
    /--core: there is no kolla-core next to .*\/source; use the image kolla-pod, or leave --core out/,
  );
  await writeFile(join(one.directory.path, 'kolla-core'), `${PROGRAM}#core\n`, { mode: 0o755 });
  assert.equal((await one.install('--core')).code, 0);
  assert.deepEqual((await readdir(one.volume)).toSorted(), ['bin', 'kolla-core', 'rootless-bin']);
  assert.deepEqual(
    (await readdir(join(one.volume, 'bin'))).toSorted(),
    CORE_NAMES.filter((name) => name !== 'sudo').toSorted(),
  );
  assert.equal(await readlink(join(one.volume, 'bin/kolla-init')), '../kolla-core');
  assert.equal(await readlink(join(one.volume, 'rootless-bin/sudo')), '../kolla-core');
});

test('the names that sudo runs as root never link to kolla-pod, and links of an older version are removed', async () => {
  await using one = await stage();
  const raised = ['kolla_copy_cacerts', 'kolla_set_configs'];
  await mkdir(join(one.volume, 'bin'), { recursive: true });
  for (const name of raised) await symlink('../kolla-pod', join(one.volume, 'bin', name));
  const { code, stderr } = await one.install();
  assert.equal(code, 0);
  assert.match(stderr, /no links kolla_set_configs, kolla_copy_cacerts: only kolla-core may run through sudo/);
  assert.deepEqual((await readdir(join(one.volume, 'bin'))).toSorted(), UNRAISED);
  await writeFile(join(one.directory.path, 'kolla-core'), `${PROGRAM}#core\n`, { mode: 0o755 });
  const both = await one.install();
  assert.equal(both.code, 0);
  assert.doesNotMatch(both.stderr, /no links/);
  for (const name of raised) assert.equal(await readlink(join(one.volume, 'bin', name)), '../kolla-core');
});

test('the former script sudo is replaced by the link', async () => {
  await using one = await stage();
  await mkdir(join(one.volume, 'rootless-bin'), { recursive: true });
  await writeFile(join(one.volume, 'rootless-bin/sudo'), '#!/bin/bash\n', { mode: 0o755 });
  assert.equal((await one.install()).code, 0);
  assert.equal(await readlink(join(one.volume, 'rootless-bin/sudo')), '../kolla-pod');
});

test('any uid can read and run all of it, whatever the umask', async () => {
  await using one = await stage();
  const line = `umask 077; exec "$0" "$@"`;
  const words = [process.execPath, HELPERS, 'kolla-pod', 'install', one.volume, '--from', one.source];
  await must('sh', ['-c', line, ...words]);
  for (const path of ['.', 'kolla-pod', 'bin', 'rootless-bin'])
    assert.equal((await stat(join(one.volume, path))).mode & 0o777, 0o755, path);
});

test('a second run changes nothing and reports it', async () => {
  await using one = await stage();
  await one.install();
  const look = async () => {
    const paths = (await readdir(one.volume, { recursive: true })).toSorted();
    return await Promise.all(paths.map(async (path) => [path, (await stat(join(one.volume, path))).ino] as const));
  };
  const before = await look();
  const { code, stderr } = await one.install();
  assert.equal(code, 0);
  assert.match(stderr, /up to date/);
  assert.deepEqual(await look(), before);
});

test('another version replaces the binary and its own old links, and keeps other files', async () => {
  await using one = await stage();
  await mkdir(join(one.volume, 'bin'), { recursive: true });
  await writeFile(join(one.volume, 'kolla-pod'), PROGRAM.replace('"$@"', ''), { mode: 0o755 });
  await symlink('../kolla-pod', join(one.volume, 'bin/kolla-gone'));
  await symlink('/bin/true', join(one.volume, 'bin/somebodys'));
  await writeFile(join(one.volume, 'bin/kolla-init'), 'half');
  assert.match((await one.install()).stderr, /installed/);
  assert.equal(await readFile(join(one.volume, 'kolla-pod'), 'utf8'), PROGRAM);
  assert.deepEqual((await readdir(join(one.volume, 'bin'))).toSorted(), [...UNRAISED, 'somebodys'].toSorted());
  assert.equal(await readlink(join(one.volume, 'bin/kolla-init')), '../kolla-pod');
});

test('a binary not executable by all is replaced even if its content matches', async () => {
  await using one = await stage();
  await one.install();
  await chmod(join(one.volume, 'kolla-pod'), 0o700);
  assert.match((await one.install()).stderr, /installed/);
  assert.equal((await stat(join(one.volume, 'kolla-pod'))).mode & 0o777, 0o755);
});

test('a running binary is replaced, and keeps running', async () => {
  await using one = await stage();
  await mkdir(one.volume);
  // A script could be overwritten in place; a running executable cannot.
  await copyFile(process.execPath, join(one.volume, 'kolla-pod'));
  await chmod(join(one.volume, 'kolla-pod'), 0o755);
  await using running = await start(join(one.volume, 'kolla-pod'), ['-e', 'setTimeout(() => {}, 600_000)']);
  assert.match((await one.install()).stderr, /installed/);
  assert.equal(await readFile(join(one.volume, 'kolla-pod'), 'utf8'), PROGRAM);
  assert.equal(running.child.exitCode, null);
});

test('a link in place of an installed file is replaced, even if it leads to matching content', async () => {
  await using one = await stage();
  await one.install();
  const path = join(one.volume, 'kolla-pod');
  await must('ln', ['-sf', one.source, path]);
  assert.match((await one.install()).stderr, /installed/);
  assert.ok((await lstat(path)).isFile(), path);
  assert.equal(await readFile(one.source, 'utf8'), PROGRAM);
});

test('fixes the mode of directories that a killed run left private', async () => {
  await using one = await stage();
  await mkdir(join(one.volume, 'bin'), { recursive: true });
  await chmod(join(one.volume, 'bin'), 0o700);
  assert.equal((await one.install()).code, 0);
  assert.equal((await stat(join(one.volume, 'bin'))).mode & 0o777, 0o755);
});

test('keeps the files of a concurrent run', async () => {
  await using one = await stage();
  const temporary = join(one.volume, 'bin/.kolla-init.kolla-0a1b2c');
  await mkdir(join(one.volume, 'bin'), { recursive: true });
  await symlink('../kolla-pod', temporary);
  const later = Date.now() / 1000 + 3600;
  await lutimes(temporary, later, later);
  assert.equal((await one.install()).code, 0);
  assert.equal(await readlink(temporary), '../kolla-pod');
});

/** An install that never finishes copying: its source is a slowly fed pipe. */
async function halfInstall(one: { source: string; volume: string; directory: { path: string } }) {
  const pipe = join(one.directory.path, 'pipe');
  await must('mkfifo', [pipe]);
  const feed = await start('sh', ['-c', 'exec 3> "$0"; while printf drop >&3; do sleep 0.1; done', pipe]);
  const running = await startHelper('kolla-pod', ['install', one.volume, '--from', pipe]);
  await until('a temporary', async () => {
    const names = await readdir(one.volume).catch((): string[] => []);
    return names.some((name) => name.startsWith('.kolla-pod.kolla-')) || undefined;
  });
  return { running, [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose]() };
}

test('an installation killed midway leaves no binary, and the next run completes and cleans up', async () => {
  await using one = await stage();
  await using half = await halfInstall(one);
  const { running } = half;
  process.kill(running.pid, 'SIGKILL');
  await running.ended;
  const left = await readdir(one.volume);
  assert.equal(left.length, 1);
  assert.match(left[0] ?? '', /^\.kolla-pod\.kolla-/);
  assert.equal((await one.install()).code, 0);
  assert.deepEqual((await readdir(one.volume)).toSorted(), ['bin', 'kolla-pod', 'rootless-bin']);
});

test('an installation stopped midway by SIGTERM leaves nothing and exits with code 143', async () => {
  await using one = await stage();
  await using half = await halfInstall(one);
  const { running } = half;
  assert.equal(await running.stop(), 143);
  assert.deepEqual(await readdir(one.volume), []);
});

test('four concurrent runs leave one complete installation', async () => {
  await using one = await stage();
  const all = await Promise.all(Array.from({ length: 4 }, () => one.install()));
  assert.deepEqual(
    all.map(({ code, stderr }) => `${code} ${code === 0 ? '' : stderr}`),
    Array.from({ length: 4 }, () => '0 '),
  );
  assert.deepEqual((await readdir(one.volume)).toSorted(), ['bin', 'kolla-pod', 'rootless-bin']);
});

test('a DIR that is not a directory, or is below a file, is rejected with exit code 65', async () => {
  await using one = await stage();
  await writeFile(one.volume, '');
  const { code, stderr } = await one.install();
  assert.equal(code, 65);
  assert.match(stderr, /volume is not a directory: use the mount point/);
  const inner = await runHelper('kolla-pod', ['install', join(one.volume, 'inner'), '--from', one.source]);
  assert.equal(inner.code, 65);
});

test('a place where no directory can be created is reported at once, and so is a source that is not a file', async () => {
  await using one = await stage();
  const { code, stderr } = await runHelper('kolla-pod', ['install', '/proc/x/y', '--from', one.source]);
  assert.equal(code, 69, stderr);
  assert.match(stderr, /cannot write into \/proc\/x\/y: no such file or directory/);
  const device = await runHelper('kolla-pod', ['install', one.volume, '--from', '/dev/null']);
  assert.equal(device.code, 69);
  assert.match(device.stderr, /\/dev\/null is not a file/);
});

test('a file in place of a directory of the installation is rejected with exit code 65', async () => {
  await using one = await stage();
  await mkdir(one.volume);
  await writeFile(join(one.volume, 'bin'), 'mine');
  const { code, stderr } = await one.install();
  assert.equal(code, 65);
  assert.match(stderr, /volume\/bin is not a directory: remove it/);
});

test('does not follow a link that leads out of the volume', async () => {
  await using one = await stage();
  const elsewhere = join(one.directory.path, 'elsewhere');
  for (const directory of [one.volume, elsewhere]) await mkdir(directory);
  await symlink(elsewhere, join(one.volume, 'rootless-bin'));
  const { code, stderr } = await one.install();
  assert.equal(code, 65);
  assert.match(stderr, /volume\/rootless-bin is not a directory/);
  assert.deepEqual(await readdir(elsewhere), []);
});

test('a directory in place of the binary is rejected with exit code 65, before anything is copied', async () => {
  await using one = await stage();
  await mkdir(join(one.volume, 'kolla-pod'), { recursive: true });
  const { code, stderr } = await one.install();
  assert.equal(code, 65);
  assert.match(stderr, /volume\/kolla-pod is a directory in place of the binary: rename it/);
});

test("without a volume, a DIR over the image's own files is rejected with exit code 65", async () => {
  await using one = await stage();
  await one.install();
  const own = join(one.directory.path, 'usr-local-bin');
  await link(join(one.volume, 'kolla-pod'), own);
  const { code, stderr } = await runHelper('kolla-pod', ['install', one.volume, '--from', own]);
  assert.equal(code, 65);
  assert.match(stderr, /is this executable itself, under another name: mount a volume on .*volume"/);
  const itself = await runHelper('kolla-pod', ['install', one.volume, '--from', join(one.volume, 'kolla-pod')]);
  assert.equal(itself.code, 0, itself.stderr);
});

test('invalid arguments are rejected with exit code 64, a missing executable with 69', async () => {
  await using one = await stage();
  assert.equal((await runHelper('kolla-pod', ['install'])).code, 64);
  const notBinary = await runHelper('kolla-pod', ['install', one.volume]);
  assert.equal(notBinary.code, 64);
  assert.match(notBinary.stderr, /this is not the binary; set it with --from/);
  const gone = await runHelper('kolla-pod', ['install', one.volume, '--from', '/nonexistent/kolla-pod']);
  assert.equal(gone.code, 69);
  assert.match(gone.stderr, /can't read the executable \/nonexistent\/kolla-pod/);
});

/** Installs onto a tmpfs in a mount namespace, mounted by the script (`$0` is the volume); then lists it. */
async function onTmpfs(one: { source: string; volume: string }, mounts: string) {
  await mkdir(one.volume);
  const script = `set -e; ${mounts}; set +e; "$@"; code=$?; echo "left: $(ls -A "$0")" >&2; exit $code`;
  const words = [process.execPath, HELPERS, 'kolla-pod', 'install', one.volume, '--from', one.source];
  return await run('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, one.volume, ...words]);
}

test('a full disk is reported with the space needed, and the partial copy is removed', async (t) => {
  if (!(await needs(t, canHaveSmallDisk))) return;
  await using one = await stage('x'.repeat(2 ** 20));
  const { code, stderr } = await onTmpfs(one, 'mount -t tmpfs -o size=300k none "$0"');
  assert.equal(code, 69, stderr);
  assert.match(stderr, /it is full\. The binary takes 1 MiB, .*: give the volume 10 MiB/);
  assert.match(stderr, /\nleft: \n$/);
});

test('a volume mounted noexec is rejected with exit code 69', async (t) => {
  if (!(await needs(t, canHaveSmallDisk))) return;
  await using one = await stage();
  const { code, stderr } = await onTmpfs(one, 'mount -t tmpfs -o noexec none "$0"');
  assert.equal(code, 69, stderr);
  assert.match(stderr, /can't be run: mount .*volume without noexec/);
});

test('a volume mounted read-only is accepted if complete, and otherwise rejected with exit code 77', async (t) => {
  if (!(await needs(t, canHaveSmallDisk))) return;
  await using one = await stage();
  const [tmpfs, readOnly] = ['mount -t tmpfs none "$0"', 'mount -o remount,ro "$0"'];
  const empty = await onTmpfs(one, `${tmpfs}; ${readOnly}`);
  assert.equal(empty.code, 77, empty.stderr);
  assert.match(empty.stderr, /cannot write into .*volume: EROFS.*fsGroup/);
  await using other = await stage();
  const full = await onTmpfs(other, `${tmpfs}; "$@"; ${readOnly}`);
  assert.equal(full.code, 0, full.stderr);
  assert.match(full.stderr, /up to date/);
});

test('without write permission exits with code 77 and the fix', async (t) => {
  if (!(await needs(t, canGiveFilesAway))) return;
  await using one = await stage();
  await chmod(one.directory.path, 0o755);
  await mkdir(one.volume);
  const other = ['--reuid', '42425', '--regid', '42425', '--clear-groups', process.execPath];
  if ((await run('setpriv', [...other, '--check', HELPERS])).code !== 0) return t.skip('others can’t read this clone');
  const words = [HELPERS, 'kolla-pod', 'install', one.volume, '--from', one.source];
  const { code, stderr } = await run('setpriv', [...other, ...words]);
  assert.equal(code, 77, stderr);
  assert.match(stderr, /cannot write into .*volume: permission denied.*fsGroup/);
});

test('a directory that others cannot enter is reported', async () => {
  await using one = await stage();
  await mkdir(one.volume);
  await chmod(one.volume, 0o700);
  const { code, stderr } = await one.install();
  assert.equal(code, 0);
  assert.match(stderr, /other users can’t enter this directory/);
});
