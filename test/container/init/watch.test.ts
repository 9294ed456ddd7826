import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneFile } from '../../config/watch/support.ts';
import { entry, type Pod } from '../../config/support.ts';
import { isOnCore, logLines, runHelper } from '../../support/helper.ts';
import { must, start, type Running } from '../../../tools/process.ts';
import { listenHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { prepared, sidecar } from './watch-support.ts';

/** A service that logs the signals it receives under its own name. */
async function service(p: Pod, name: string, script: string): Promise<Running & { readonly heard: string }> {
  const [file, heard] = [join(p.configDir, '..', name), join(p.configDir, '..', `${name}.heard`)];
  await writeFile(file, `#!/bin/bash\n${script}\necho up >> ${heard}\nwhile :; do read -t 1000 <> <(:); done\n`);
  await chmod(file, 0o755);
  await writeFile(heard, '');
  const running = await start(file, []);
  await until(`${name} to be up`, async () => (await readFile(heard, 'utf8')).includes('up') || undefined);
  return { ...running, heard };
}

test('a change is installed, then the named process gets the signal: the parent process, not its workers', async () => {
  await using p = await prepared();
  await using keystone = await service(
    p,
    'kolla-test-ks',
    'trap "echo heard by $BASHPID >> $0.heard" HUP; (trap "echo worker >> $0.heard" HUP; while :; do sleep 0.1; done) &',
  );
  await using watch = await sidecar(p, ['--on-change', 'signal:HUP:kolla-test-ks']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/sent to kolla-test-ks \(pid \d+\)"/);
  await until('the signal', async () => (await readFile(keystone.heard, 'utf8')).includes('heard') || undefined);
  assert.equal(await readFile(keystone.heard, 'utf8'), `up\nheard by ${keystone.pid}\n`);
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'two');
});

test('a file that the service may mount individually keeps its inode; any other is replaced', async () => {
  await using p = await prepared();
  const both = (text: string) => {
    const config = JSON.parse(oneFile()) as { config_files: object[] };
    config.config_files.push(entry('a.conf', '/etc/keystone/a.conf'));
    return { 'config.json': JSON.stringify(config), 'a.conf': text };
  };
  await p.volume.swap(both('one'));
  await using watch = await sidecar(p, []);
  await watch.until(/changed: 1 file/);
  const inodes = () =>
    Promise.all(['etc/a.conf', 'etc/keystone/a.conf'].map(async (path) => (await stat(join(p.root, path))).ino));
  const before = await inodes();
  await p.volume.swap(both('another'));
  await watch.until(/changed: 2 files/);
  const after = await inodes();
  assert.equal(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'another');
});

test('a process that ignores the signal is not reported as notified', async () => {
  await using p = await prepared();
  await using _ = await service(p, 'kolla-test-deaf', "trap '' HUP");
  await using watch = await sidecar(p, ['--on-change', 'signal:HUP:kolla-test-deaf']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/signal:HUP:kolla-test-deaf failed, retrying in .*does not handle SIGHUP/);
});

test('a failed action is retried until it succeeds; the next one waits for it', async () => {
  await using p = await prepared();
  const order = join(p.configDir, '..', 'order');
  const flaky = join(p.configDir, '..', 'flaky');
  await writeFile(flaky, `#!/bin/sh\necho try >> ${order}\n[ "$(wc -l < ${order})" -ge 2 ]\n`, { mode: 0o755 });
  await using watch = await sidecar(p, [
    '--on-change',
    `exec:${flaky}`,
    '--on-change',
    `exec:sh -c 'echo next >> ${order}'`,
  ]);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(order, 'utf8'), 'try\ntry\nnext\n');
  assert.match(watch.said(), /flaky failed, retrying in .*it exited with code 1/);
});

test('an action that keeps failing does not block the next version', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:false']);
  await watch.until(/already installed/);
  for (const content of ['two', 'three']) {
    await p.volume.swap({ 'config.json': oneFile(), 'a.conf': content });
    await until(`'${content}'`, async () => {
      return (await readFile(join(p.root, 'etc/a.conf'), 'utf8')) === content || undefined;
    });
    await watch.until(content === 'two' ? /exec:false failed/ : /exec:false is skipped for the newer version/);
  }
});

test('a hanging command is killed with all its processes, and counts as failed', async () => {
  await using p = await prepared();
  const pids = join(p.configDir, '..', 'pids');
  const hang = `exec:bash -c 'trap "" TERM; sleep 1000 & echo $! > ${pids}; wait; wait'`;
  await using watch = await sidecar(p, ['--on-change', hang, '--action-timeout', '3s']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  // On a busy machine only a later attempt may get so far within its time.
  const pid = await until('the command to run', async () => {
    return Number(await readFile(pids, 'utf8').catch(() => '')) || undefined;
  });
  await watch.until(/exec:bash failed.*did not finish within 3s/);
  await until('its child to exit', () => {
    try {
      process.kill(pid, 0);
      return Promise.resolve(undefined);
    } catch {
      return Promise.resolve(true);
    }
  });
});

test("a command's output is logged without the secrets of our environment", async () => {
  await using p = await prepared();
  const command = `exec:sh -c 'echo token is $API_TOKEN; echo db mysql://u:hidden@db/x; echo admin_password=hidden >&2'`;
  await using watch = await sidecar(p, ['--on-change', command], { API_TOKEN: 'hidden-value' });
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  const said = await watch.until(/exec:sh: done/);
  assert.match(said, /token is \*\*\*/);
  assert.match(said, /admin_password=\*\*\*/);
  assert.doesNotMatch(said, /hidden/);
});

test('a request is sent, repeated after a status of 400 and above, and no credential is logged', async () => {
  await using p = await prepared();
  const got: string[] = [];
  await using server = await listenHttp((request, response) => {
    got.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(got.length === 1 ? 503 : 204).end();
  });
  const url = `http://admin:hidden@127.0.0.1:${server.port}/reload?token=hidden`;
  await using watch = await sidecar(p, ['--on-change', `http:POST ${url}`]);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  const said = await watch.until(/http:POST .*: accepted/);
  const basic = `Basic ${Buffer.from('admin:hidden').toString('base64')}`;
  assert.deepEqual(
    got,
    Array.from({ length: 2 }, () => `POST /reload?token=hidden ${basic}`),
  );
  assert.match(said, /failed, retrying in .*the response status is 503/);
  assert.doesNotMatch(said, /hidden/);
});

test('the action exit ends the watch with code 0 after the previous actions have succeeded', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:true', '--on-change', 'exit']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  assert.equal(await watch.running.ended, 0);
  assert.match(watch.said(), /exec:true: done[^]*to be restarted/);
});

test('a changed command is written to /run/kolla, and the log reports that it needs a restart', async () => {
  await using p = await prepared();
  await mkdir(join(p.root, 'run/kolla'), { recursive: true });
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/run_command/);
  const other = oneFile().replace('"command":"true"', '"command":"false"');
  await p.volume.swap({ 'config.json': other, 'a.conf': 'one' });
  await watch.until(/another command now.*restarted/);
  assert.equal(await readFile(join(p.root, 'run/kolla/run_command'), 'utf8'), 'false');
  await watch.until(/exec:true: done/);
});

test('a notification missed by a killed watch is sent once by the next one', async () => {
  await using p = await prepared();
  await mkdir(join(p.root, 'run/kolla'), { recursive: true });
  const told = join(p.configDir, '..', 'told');
  {
    await using watch = await sidecar(p, [
      '--on-change',
      'exec:false',
      '--on-change',
      `exec:sh -c 'echo told >> ${told}'`,
    ]);
    await watch.until(/already installed/);
    await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
    await watch.until(/exec:false failed/);
    watch.running.child.kill('SIGKILL');
    await watch.running.ended;
  }
  {
    await using watch = await sidecar(p, ['--on-change', `exec:sh -c 'echo told >> ${told}'`]);
    await watch.until(/exec:sh: done/);
    await until('the record to be removed', async () => {
      return !(await readdir(join(p.root, 'run/kolla'))).includes('watch-pending') || undefined;
    });
  }
  await using third = await sidecar(p, ['--on-change', `exec:sh -c 'echo told >> ${told}'`]);
  await third.until(/already installed/);
  assert.equal(await readFile(told, 'utf8'), 'told\n');
});

/** Arguments of openssl that print a new certificate. */
const CERTIFICATE =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test -keyout /dev/null'.split(' ');

test("a killed watch's notification of another command or CA is sent by the next one", async () => {
  await using p = await prepared();
  await mkdir(join(p.root, 'run/kolla'), { recursive: true });
  const other = oneFile().replace('"command":"true"', '"command":"false"');
  const pem = await must('openssl', CERTIFICATE);
  for (const files of [{ 'config.json': other }, { 'config.json': other, 'ca-certificates/own.crt': pem }]) {
    await using watch = await sidecar(p, ['--on-change', 'exec:false']);
    await watch.until(/already installed/);
    await p.volume.swap({ 'a.conf': 'one', ...files });
    await watch.until(/changed: 0 files, [^]*exec:false failed/);
    watch.running.child.kill('SIGKILL');
    await watch.running.ended;
    await using next = await sidecar(p, ['--on-change', 'exec:true']);
    await next.until(/changed: 0 files, earlier changes[^]*exec:true: done/);
    await until('the record to be removed', async () => {
      return !(await readdir(join(p.root, 'run/kolla'))).includes('watch-pending') || undefined;
    });
  }
});

test('a changed CA triggers the actions too', async () => {
  await using p = await prepared();
  const pem = await must('openssl', CERTIFICATE);
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'one', 'ca-certificates/own.crt': pem });
  await watch.until(/changed: 0 files, CA certificates[^]*exec:true: done/);
});

test('a version with a damaged certificate is rejected, together with its files', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two', 'ca-certificates/own.crt': 'no certificate' });
  await watch.until(/rejected, [^]*own\.crt: it contains no PEM certificate/);
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'one');
});

test('on SIGTERM the watch exits with code 143, and stops a running command', async () => {
  await using p = await prepared();
  const pids = join(p.configDir, '..', 'pids');
  await using watch = await sidecar(p, ['--on-change', `exec:sh -c 'echo $$ > ${pids}; exec sleep 1000'`]);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  const pid = await until('the command', async () => Number(await readFile(pids, 'utf8').catch(() => '')) || undefined);
  watch.running.child.kill('SIGTERM');
  assert.equal(await watch.running.ended, 143);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('a rejected version is one error line, without actions', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/already installed/);
  await p.volume.swap({ 'config.json': '{"command": 1, "config_files": [{"source": "a"}]}' });
  await watch.until(/rejected/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'three' });
  await watch.until(/exec:true: done/);
  const errors = logLines(watch.said()).filter(({ level }) => level === 'error');
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.msg ?? '', /command: must be a string.*config_files\[0\]\.source: must be an absolute path/);
});

test('exits with code 65 for a missing root', async () => {
  const { code, stderr } = await runHelper('kolla-init', ['watch', '--root', '/no/such/root']);
  assert.equal(code, 65, stderr);
});

/** Makes the process exit if it resolves a module that only watch needs. */
const NO_WATCH = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (/run-watch|on-change/.test(specifier)) throw new Error('loaded ' + specifier);
    return next(specifier, context);
  },
});`;

// In kolla-core nothing is loaded later.
if (!isOnCore)
  test('kolla-init without watch loads no code of the watch', async () => {
    await using p = await prepared();
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NO_WATCH)}` };
    const looked = { env, fromSource: true } as const;
    const args = ['--root', p.root, '--config-dir', p.configDir];
    const without = await runHelper('kolla-init', args, looked);
    assert.equal(without.code, 0, without.stderr);
    assert.match((await runHelper('kolla-init', ['watch', ...args], looked)).stderr, /loaded \S*run-watch/);
  });

for (const [name, args] of [
  ['an unknown action', ['--on-change', 'restart']],
  ['a missing command', ['--on-change', 'exec:/no/such/program']],
  ['a polling interval of zero', ['--poll', '1ms']],
  ['a timeout of zero for actions', ['--action-timeout', '0']],
  ['an extra argument', ['keystone']],
] as const) {
  test(`exits with code 64 before anything is watched: ${name}`, async () => {
    await using p = await prepared();
    const { code, stderr } = await runHelper('kolla-init', [
      'watch',
      '--root',
      p.root,
      '--config-dir',
      p.configDir,
      ...args,
    ]);
    assert.equal(code, 64, stderr);
    assert.doesNotMatch(stderr, /"watching /);
  });
}
