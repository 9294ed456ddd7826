import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { NAMES, ROOTLESS_NAMES } from '../../build/names.ts';
import { binaryOf } from '../../src/toolbox/install/core-names.ts';
import { VERSION } from '../../src/core/version.ts';
import { descendantsOf } from '../../src/process/procfs/descendants.ts';
import { KOLLA_NAMES } from '../../src/probe/kolla/variables.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canThrowAwayRoots, inThrowAwayRoot } from '../contract/throw-away-root.ts';
import { scriptedApi, status } from '../kube/support.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, run, start, tailOf, type Finished } from '../../tools/process.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';

const BUILD = new URL('../../build/binary.ts', import.meta.url).pathname;

let directory: Directory;
/** The layout of an image: `kolla-pod`, and `bin/` with the links. */
let dist: string;

before(async () => {
  directory = await privateDirectory('binary');
  dist = (await podBinary()).directory;
});
after(async () => await directory[Symbol.asyncDispose]());

function pod(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return run(join(dist, 'kolla-pod'), args, { env });
}

function probe(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return run(join(dist, 'bin/kolla-probe'), args, { env });
}

/** A shell command line that finds the names on its PATH. */
function shell(line: string): Promise<Finished> {
  return run('bash', ['--norc', '-c', line], { env: { PATH: `${dist}/bin:${process.env['PATH']}` } });
}

function versionOf(name: string): string {
  return `${name} ${VERSION} (${binaryOf(name, true)})\n`;
}

test('every name is a link to its binary and prints its own name', async () => {
  assert.deepEqual((await readdir(join(dist, 'bin'))).toSorted(), [...NAMES].toSorted());
  for (const name of NAMES) {
    assert.equal(await readlink(join(dist, 'bin', name)), `../${binaryOf(name, true)}`);
    assert.equal(await must(join(dist, 'bin', name), ['--version'], { env: {} }), versionOf(name));
    assert.match(await must(join(dist, 'bin', name), ['--help'], { env: {} }), new RegExp(`^(?:usage: )?${name}`));
  }
});

test("links named like another program are in a separate directory, outside any developer's PATH", async () => {
  assert.deepEqual(await readdir(join(dist, 'rootless-bin')), [...ROOTLESS_NAMES]);
  assert.equal(await readlink(join(dist, 'rootless-bin/sudo')), '../kolla-core');
  assert.equal(await must(join(dist, 'rootless-bin/sudo'), ['echo', 'run'], { env: {} }), 'run\n');
});

test('sudo runs a rootwrap in the 1 GiB of address space set by Cinder', async () => {
  const rootwrap = join(directory.path, 'cinder-rootwrap');
  await writeFile(rootwrap, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const line = (program: string) => `ulimit -v ${1 << 20}; exec '${program}' '${rootwrap}' /etc/c qemu-img info`;
  const { code, stdout, stderr } = await shell(line(join(dist, 'rootless-bin/sudo')));
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '/etc/c qemu-img info\n', stderr: '' });
});

test("Kolla's healthcheck names link to the right binary", async () => {
  for (const name of KOLLA_NAMES)
    assert.equal(await readlink(join(dist, 'bin', name)), `../${binaryOf(name, true)}`, name);
  const { code, stdout } = await shell('healthcheck_filemod /nonexistent 60');
  assert.deepEqual([code, stdout], [1, '/nonexistent does not exist for file modification check\n']);
});

test('a helper is selected by a link of its name, by its first argument in both forms, and by exec -a', async () => {
  const wanted = `kolla-probe ${VERSION} (kolla-pod)\n`;
  await symlink(join(dist, 'kolla-pod'), join(directory.path, 'kolla-probe'));
  assert.equal(await must(join(directory.path, 'kolla-probe'), ['--version'], { env: {} }), wanted);
  assert.equal((await pod(['probe', '--version'])).stdout, wanted);
  assert.equal((await pod(['kolla-probe', '--version'])).stdout, wanted);
  assert.equal((await shell('exec -a kolla-probe kolla-pod --version')).stdout, wanted);
  assert.equal((await shell('kolla-probe --version')).stdout, versionOf('kolla-probe'));
});

test('under any other name it is kolla-pod', async () => {
  await copyFile(join(dist, 'kolla-pod'), join(directory.path, 'renamed'));
  assert.equal(
    await must(join(directory.path, 'renamed'), ['--version'], { env: {} }),
    `kolla-pod ${VERSION} (kolla-pod)\n`,
  );
});

test('a script as its first argument is not run, unlike with plain node', async () => {
  const { code, stderr } = await pod([BUILD]);
  assert.equal(code, 64);
  assert.match(stderr, /unknown command/);
});

test("node's flags are rejected", async () => {
  for (const flag of ['-e', '--eval=1', '--inspect', '-p', '-r', '--v8-options']) {
    const { code, stderr } = await pod([flag, '1']);
    assert.equal(code, 64, flag);
    assert.match(stderr, /the command comes first|unknown option/);
  }
});

test('checks report by exit code: healthy, unhealthy, invalid arguments', async () => {
  await using server = await listenTcp(() => {});
  await using web = await listenHttp((_request, response) => void response.end());
  assert.equal((await probe(['tcp', `127.0.0.1:${server.port}`])).code, 0);
  assert.equal((await probe(['http', `http://127.0.0.1:${web.port}/`])).code, 0);
  assert.equal((await probe(['tcp', `127.0.0.1:${await freePort()}`])).code, 1);
  assert.equal((await probe(['tpc', 'x:1'])).code, 64);
});

test("the service's options and modules for Node do not affect kolla-pod", async () => {
  const trap = join(directory.path, 'trap');
  await mkdir(trap);
  for (const env of [
    { NODE_OPTIONS: '--bogus' },
    { NODE_OPTIONS: `--require ${BUILD}` },
    { NODE_OPTIONS: '--inspect-brk=127.0.0.1:0' },
    { NODE_PATH: trap },
    { NODE_PENDING_DEPRECATION: '1' },
  ]) {
    const { code, stdout, stderr } = await probe(['tcp', '--help'], env);
    assert.deepEqual([code, stderr], [0, ''], JSON.stringify(env));
    assert.match(stdout, /^kolla-probe tcp/);
  }
  assert.deepEqual(await readdir(trap), []);
});

test('the service cannot disable certificate verification', async () => {
  await using api = await scriptedApi(status(200));
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const { code, stderr } = await probe(['http', api.url], env);
  assert.equal(code, 1);
  assert.match(stderr, /certificate/);
  assert.equal((await probe(['http', api.url, '--ca-file', join(api.accountDirectory, 'ca.crt')], env)).code, 0);
});

test('includes every lazy part: files of options, waits, checks, doctor', async () => {
  const said = await pod(['doctor', '-o', 'json']);
  assert.ok(said.code <= 1, said.stderr);
  assert.ok(Array.isArray(JSON.parse(said.stdout)));
  assert.equal((await pod(['explain', '69', '--config', '/nonexistent'])).code, 65);
  const waits = ['--wait', `tcp://127.0.0.1:${await freePort()}`, '--timeout', '300ms', '--root', directory.path];
  assert.equal(
    (
      await run(join(dist, 'bin/kolla-init'), [...waits, '--config-dir', directory.path, '--allow-no-config'], {
        env: {},
      })
    ).code,
    75,
  );
});

test('every helper loads all of its lazy imports from the binary alone', async () => {
  // A library missing from a bundle would be a bug of ours (exit code 70). Each command runs to the point where it
  // needs its client.
  const gone = `127.0.0.1:${await freePort()}`;
  const connection = {
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://k:p@${gone}/keystone`,
    KOLLA_DB_SYNC_TIMEOUT: '300ms',
  };
  const db = await run(join(dist, 'bin/kolla-db-sync'), ['status', 'keystone'], { env: connection });
  assert.equal(db.code, 75, db.stderr);
  const cluster = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' };
  const init = await run(join(dist, 'bin/kolla-init'), ['--wait', 'job/x', '--timeout', '300ms'], { env: cluster });
  assert.notEqual(init.code, 70, init.stderr);
  const logs = ['--root', directory.path, '--url', `http://${gone}`, '--once'];
  await using ship = await start(join(dist, 'bin/kolla-log-ship'), logs, { env: {} });
  assert.notEqual(await ship.ended, 70);
});

test('kolla-db-sync --stay is kolla-core, with a kolla-pod that migrates', async () => {
  const url = `mysql+pymysql://k:p@127.0.0.1:${await freePort()}/keystone`;
  const env = { PATH: process.env['PATH'], KOLLA_DB_SYNC_CONNECTION: url };
  const words = ['keystone', '--stay', '--listen', '127.0.0.1:0', '--', 'true'];
  await using staying = await start(join(dist, 'bin/kolla-db-sync'), words, { env, keepOutput: true });
  const exeOf = (pid: number) => readlink(`/proc/${pid}/exe`).catch(() => '');
  await until('a kolla-pod below it', async (saw) => {
    assert.equal(staying.child.exitCode, null);
    const below = await Promise.all(descendantsOf(staying.pid).map(exeOf));
    saw(below);
    return below.includes(join(dist, 'kolla-pod')) || undefined;
  });
  assert.equal(await exeOf(staying.pid), join(dist, 'kolla-core'));
  assert.equal(await staying.stop(), 143);
});

test('reads YAML with the bundled library', async () => {
  const podFile = join(directory.path, 'kolla-pod.yaml');
  await writeFile(podFile, 'pod: {}\n');
  assert.equal((await pod(['explain', '69', '--config', podFile])).code, 0);
});

test('queries a database with the bundled library', async () => {
  await using server = await listenTcp((socket) => void socket.end('no server of databases\n'));
  const connection = {
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://k:p@127.0.0.1:${server.port}/keystone`,
    KOLLA_DB_SYNC_TIMEOUT: '2s',
  };
  const { code, stderr } = await run(join(dist, 'bin/kolla-db-sync'), ['status', 'keystone'], { env: connection });
  assert.ok([69, 75].includes(code), stderr);
  assert.match(stderr, /127\.0\.0\.1/);
});

test('connects to an API server with the bundled kubeconfig library', async () => {
  await using api = await scriptedApi(status(404));
  const file = join(directory.path, 'kubeconfig');
  const clusters = [{ name: 'c', cluster: { server: api.url, 'insecure-skip-tls-verify': true } }];
  const users = [{ name: 'u', user: { token: 'from-the-kubeconfig' } }];
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
  await writeFile(file, JSON.stringify({ clusters, users, contexts, 'current-context': 'x' }));
  const words = ['--wait', 'job/x', '--root', directory.path, '--config-dir', directory.path, '--allow-no-config'];
  const options = {
    env: { KUBECONFIG: file },
    throwAway: true,
    logFile: join(directory.path, 'kubeconfig.log'),
  } as const;
  await using waiting = await start(join(dist, 'bin/kolla-init'), words, options);
  const first = await until('a request', (saw) => {
    saw(tailOf(options.logFile));
    return api.requests[0];
  });
  assert.equal(first.token, 'Bearer from-the-kubeconfig');
  assert.equal(waiting.child.exitCode, null);
});

test('computes diffs with the bundled library', async () => {
  const kolla = join(directory.path, 'differs');
  await mkdir(join(kolla, 'etc'), { recursive: true });
  await writeFile(join(kolla, 'a.conf'), 'new\n');
  await writeFile(join(kolla, 'etc/a.conf'), 'old\n');
  const entry = { source: join(kolla, 'a.conf'), dest: '/etc/a.conf', owner: 'root', perm: '0644' };
  await writeFile(join(kolla, 'config.json'), JSON.stringify({ command: 'true', config_files: [entry] }));
  const words = ['check', '--root', kolla, '--config-dir', kolla];
  const { stdout, stderr } = await run(join(dist, 'bin/kolla-init'), words, { env: {} });
  assert.match(stdout, /^ *-old\n *\+new$/m, stderr);
});

test('exits silently if the reader of its output exits early', async () => {
  const { stdout, stderr } = await shell('kolla-pod completion bash | head -1');
  assert.match(stdout, /^# bash completion/);
  assert.equal(stderr, '');
});

test('a full disk behind stdout is reported as ENOSPC, also for --version', async () => {
  for (const words of ['explain', '--version']) {
    const { code, stderr } = await shell(`kolla-pod ${words} >/dev/full`);
    assert.equal(code, 69, words);
    assert.match(stderr, /cannot write to stdout: ENOSPC/);
    assert.doesNotMatch(stderr, /at .*\(/);
  }
});

test('needs no /proc, no home and no writable directory', async (t) => {
  const bare = await run('unshare', ['--user', '--map-root-user', '--mount', 'true'], {}).catch(() => undefined);
  if (bare?.code !== 0) return t.skip('no user and mount namespaces on this machine');
  const line = `mount -t tmpfs -o ro none /proc && exec '${dist}/bin/kolla-probe' tcp 127.0.0.1:1`;
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const { code, stderr } = await run(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'bash', '--norc', '-c', line],
    { env },
  );
  assert.equal(code, 1, stderr);
  assert.match(stderr, /ECONNREFUSED/);
});

test('exits with code 143 on SIGTERM during a wait', async () => {
  const args = [
    '--wait',
    `tcp://127.0.0.1:${await freePort()}`,
    '--root',
    directory.path,
    '--config-dir',
    directory.path,
    '--allow-no-config',
  ];
  const options = { env: {}, keepOutput: true };
  await using waiting = await start(join(dist, 'bin/kolla-init'), args, options);
  for await (const text of waiting.child.stderr!) if (String(text).includes('ECONNREFUSED')) break;
  process.kill(waiting.pid, 'SIGTERM');
  assert.equal(await waiting.ended, 143);
});

test('is executable by all users, and not larger than one copy of node', async () => {
  const { mode, size } = await stat(join(dist, 'kolla-pod'));
  assert.equal(mode & 0o777, 0o755);
  assert.ok(size < 120 * 2 ** 20, `${size} bytes`);
});

test("an executed program has the caller's signals, limits, descriptors and environment", async (t) => {
  const missing = await canThrowAwayRoots();
  if (missing !== undefined) return t.skip(missing);
  const tell = `grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; cat /proc/self/limits; umask; pwd; env | sort
    for fd in 0 1 2; do grep flags /proc/$$/fdinfo/$fd; done; ls /proc/$$/fd; echo "$@"`;
  const tree = {
    'run/kolla/run_command': '/bin/tell a b',
    'usr/local/bin/tell': { text: `#!/bin/bash\n${tell}`, mode: 0o755 },
    'usr/local/bin/kolla_extend_start': 'CMD="tell a b"',
    'usr/local/bin/direct': { text: '#!/bin/bash\necho "Running command: \'tell a b\'"\nexec tell a b\n', mode: 0o755 },
  };
  const through = (program: string) =>
    inThrowAwayRoot(`umask 027; ulimit -Sn 300; cd /tmp; ${program} | cat; exit $PIPESTATUS`, {
      tree,
      uid: 42_425,
      directories: [dist],
      env: { NODE_OPTIONS: '--bogus', EMPTY: '' },
    });
  const [ours, direct] = await Promise.all([through(`${dist}/bin/kolla_start`), through('direct')]);
  assert.match(ours.stdout, /Max open files +300 /, ours.stderr);
  assert.equal(ours.stdout, direct.stdout, ours.stderr);
});
