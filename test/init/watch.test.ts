import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneFile, Volume } from '../config/watch/support.ts';
import { entry, pod, type Pod } from '../config/support.ts';
import { FROM_SOURCE, logLines, runHelper, startHelper } from '../support/helper.ts';
import { must, run, start, type Running } from '../support/process.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';

interface Sidecar extends AsyncDisposable {
  readonly running: Running;
  readonly said: () => string;
  /** Resolves with the text that it has logged by then. */
  until(what: RegExp): Promise<string>;
}

async function sidecar(p: Pod, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Sidecar> {
  const files = ['--root', p.root, '--config-dir', p.configDir, '--settle', '20ms'];
  const running = await startHelper('kolla-init', ['watch', ...files, ...args], { env, keepOutput: true });
  let said = '';
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  running.child.stdout?.resume();
  return {
    running,
    said: () => said,
    async until(what) {
      return await until(`${what} in what it says`, 20_000, () => {
        if (running.child.exitCode !== null && !what.test(said)) throw new Error(`it ended: ${said}`);
        return Promise.resolve(what.test(said) ? said : undefined);
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${said}`);
      });
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

async function prepared(): Promise<Pod & { readonly volume: Volume }> {
  const p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await p.apply();
  return { ...p, volume };
}

/** A service that writes what reaches it, under a name of its own. */
async function service(p: Pod, name: string, script: string): Promise<Running & { readonly heard: string }> {
  const [file, heard] = [join(p.configDir, '..', name), join(p.configDir, '..', `${name}.heard`)];
  await writeFile(file, `#!/bin/bash\n${script}\necho up >> ${heard}\nwhile :; do read -t 1000 <> <(:); done\n`);
  await chmod(file, 0o755);
  await writeFile(heard, '');
  const running = await start(file, []);
  await until(`${name} to be up`, 5000, async () => (await readFile(heard, 'utf8')).includes('up') || undefined);
  return { ...running, heard };
}

test('a change is put in place, then the named process gets the signal: its first one, not its workers', async () => {
  await using p = await prepared();
  await using keystone = await service(
    p,
    'kolla-test-ks',
    'trap "echo heard by $BASHPID >> $0.heard" HUP; (trap "echo worker >> $0.heard" HUP; while :; do sleep 0.1; done) &',
  );
  await using watch = await sidecar(p, ['--on-change', 'signal:HUP:kolla-test-ks']);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/sent to kolla-test-ks \(pid \d+\)"/);
  await until('the signal', 5000, async () => (await readFile(keystone.heard, 'utf8')).includes('heard') || undefined);
  assert.equal(await readFile(keystone.heard, 'utf8'), `up\nheard by ${keystone.pid}\n`);
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'two');
});

test('a file that a service can only have mounted itself keeps its inode; any other is replaced', async () => {
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

test('a process that ignores the signal is not said to have got it', async () => {
  await using p = await prepared();
  await using _ = await service(p, 'kolla-test-deaf', "trap '' HUP");
  await using watch = await sidecar(p, ['--on-change', 'signal:HUP:kolla-test-deaf']);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/signal:HUP:kolla-test-deaf failed, trying again in .*does not handle SIGHUP/);
});

test('an action that fails is tried again until it succeeds; the next one waits for it', async () => {
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
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/exec:sh: done/);
  assert.equal(await readFile(order, 'utf8'), 'try\ntry\nnext\n');
  assert.match(watch.said(), /flaky failed, trying again in .*it ended with 1/);
});

test('an action that fails for ever does not hold up the next version', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:false']);
  await watch.until(/in place already/);
  for (const content of ['two', 'three']) {
    await p.volume.swap({ 'config.json': oneFile(), 'a.conf': content });
    await until(`'${content}'`, 10_000, async () => {
      return (await readFile(join(p.root, 'etc/a.conf'), 'utf8')) === content || undefined;
    });
    await watch.until(content === 'two' ? /exec:false failed/ : /exec:false is left for the newer version/);
  }
});

test('a command that hangs is ended with all that it started, and has failed', async () => {
  await using p = await prepared();
  const pids = join(p.configDir, '..', 'pids');
  const hang = `exec:bash -c 'trap "" TERM; sleep 1000 & echo $! > ${pids}; wait; wait'`;
  await using watch = await sidecar(p, ['--on-change', hang, '--action-timeout', '500ms']);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  await watch.until(/exec:bash failed.*did not end within 500ms/);
  const pid = Number(await readFile(pids, 'utf8'));
  await until('its child to be gone', 5000, () => {
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
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  const said = await watch.until(/exec:sh: done/);
  assert.match(said, /token is \*\*\*/);
  assert.match(said, /admin_password=\*\*\*/);
  assert.doesNotMatch(said, /hidden/);
});

test('a request is sent, again after an answer of 400 and above, and no credential is logged', async () => {
  await using p = await prepared();
  const got: string[] = [];
  await using server = await listenHttp((request, response) => {
    got.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(got.length === 1 ? 503 : 204).end();
  });
  const url = `http://admin:hidden@127.0.0.1:${server.port}/reload?token=hidden`;
  await using watch = await sidecar(p, ['--on-change', `http:POST ${url}`]);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  const said = await watch.until(/http:POST .*: accepted/);
  const basic = `Basic ${Buffer.from('admin:hidden').toString('base64')}`;
  assert.deepEqual(
    got,
    Array.from({ length: 2 }, () => `POST /reload?token=hidden ${basic}`),
  );
  assert.match(said, /failed, trying again in .*the answer is 503/);
  assert.doesNotMatch(said, /hidden/);
});

test('exit ends with 0, when what is before it has succeeded', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:true', '--on-change', 'exit']);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  assert.equal(await watch.running.ended, 0);
  assert.match(watch.said(), /exec:true: done[^]*to be started anew/);
});

test('another command is said to need a restart, and is left for it', async () => {
  await using p = await prepared();
  await mkdir(join(p.root, 'run/kolla'), { recursive: true });
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/run_command/);
  const other = oneFile().replace('"command":"true"', '"command":"false"');
  await p.volume.swap({ 'config.json': other, 'a.conf': 'one' });
  await watch.until(/another command now.*started anew/);
  assert.equal(await readFile(join(p.root, 'run/kolla/run_command'), 'utf8'), 'false');
  await watch.until(/exec:true: done/);
});

test('a change that was not told of when the watch was killed is told of by the next one, once', async () => {
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
    await watch.until(/in place already/);
    await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
    await watch.until(/exec:false failed/);
    watch.running.child.kill('SIGKILL');
    await watch.running.ended;
  }
  {
    await using watch = await sidecar(p, ['--on-change', `exec:sh -c 'echo told >> ${told}'`]);
    await watch.until(/exec:sh: done/);
    await until('it to be forgotten', 5000, async () => {
      return !(await readdir(join(p.root, 'run/kolla'))).includes('watch-pending') || undefined;
    });
  }
  await using third = await sidecar(p, ['--on-change', `exec:sh -c 'echo told >> ${told}'`]);
  await third.until(/in place already/);
  assert.equal(await readFile(told, 'utf8'), 'told\n');
});

test('an authority that is another one now is told of too', async () => {
  await using p = await prepared();
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test -keyout /dev/null';
  const pem = await must('openssl', request.split(' '));
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'one', 'ca-certificates/own.crt': pem });
  await watch.until(/changed: 0 files, CA certificates[^]*exec:true: done/);
});

test('SIGTERM ends it with 143, also while a command runs, which ends with it', async () => {
  await using p = await prepared();
  const pids = join(p.configDir, '..', 'pids');
  await using watch = await sidecar(p, ['--on-change', `exec:sh -c 'echo $$ > ${pids}; exec sleep 1000'`]);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  const pid = await until(
    'the command',
    10_000,
    async () => Number(await readFile(pids, 'utf8').catch(() => '')) || undefined,
  );
  watch.running.child.kill('SIGTERM');
  assert.equal(await watch.running.ended, 143);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('a refused version is one error line, and no action is done for it', async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, ['--on-change', 'exec:true']);
  await watch.until(/in place already/);
  await p.volume.swap({ 'config.json': '{"command": 1, "config_files": [{"source": "a"}]}' });
  await watch.until(/is refused/);
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'three' });
  await watch.until(/exec:true: done/);
  const errors = logLines(watch.said()).filter(({ level }) => level === 'error');
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.msg ?? '', /command: must be a string.*config_files\[0\]\.source: must be an absolute path/);
});

const cannotMount = await run('unshare', ['--mount', 'true']).then(({ code, stderr }) => code !== 0 && stderr);

test(
  'a file that is mounted itself is named, because a new version never reaches it',
  { skip: cannotMount },
  async () => {
    await using p = await prepared();
    const plain = join(p.configDir, '..', 'plain');
    await p.write(join(plain, 'config.json'), oneFile());
    await p.write(join(plain, 'a.conf'), 'one');
    const helper = [process.execPath, FROM_SOURCE, 'kolla-init', 'watch', '--root', p.root, '--config-dir', plain];
    const script = 'mount --bind "$1" "$1" && shift && exec "$@"';
    const mounted = ['--mount', 'bash', '-c', script, 'bash', join(plain, 'a.conf'), ...helper, '--on-change', 'exit'];
    await rm(join(p.root, 'etc/a.conf'));
    const { code, stderr } = await run('unshare', mounted);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /plain\/a\.conf is mounted itself: .*mount the folder, without subPath/);
  },
);

/** $1 is the config folder, $2 the file that is put in place; the rest is the watch. */
const REMOUNT = `
config="$1" placed="$2"; shift 2
fill() { mount -t tmpfs none "$config" && cp -r "$config/../plain/." "$config" && echo "$1" > "$config/a.conf"; }
fill one || exit 1
"$@" & watch=$!
trap 'kill $watch' EXIT
until grep -qs one "$placed"; do sleep 0.05; done
until umount "$config"; do sleep 0.05; done
echo two > "$config/../plain/a.conf"
sleep 0.3
fill two
until grep -qs two "$placed"; do sleep 0.05; done
`;

test('a volume that is unmounted and mounted again is followed on', { skip: cannotMount }, async () => {
  await using p = await pod();
  await p.write(join(p.configDir, '..', 'plain/config.json'), oneFile());
  const helper = [process.execPath, FROM_SOURCE, 'kolla-init', 'watch', '--root', p.root, '--config-dir', p.configDir];
  const args = [p.configDir, join(p.root, 'etc/a.conf'), ...helper, '--poll', '100ms', '--settle', '0'];
  const { code, stderr } = await run('timeout', ['60', 'unshare', '--mount', 'bash', '-c', REMOUNT, 'bash', ...args]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /changed: 1 file[^]*no config\.json in[^]*changed: 1 file/);
});

const noWatches = [
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"',
  'sh',
];
const cannotLimit = await run('unshare', [...noWatches, 'true']).then(({ code, stderr }) => code !== 0 && stderr);

test('where the kernel has no watches left the poll finds the change', { skip: cannotLimit }, async () => {
  await using p = await prepared();
  const config = oneFile({ owner: undefined, perm: undefined, preserve_properties: true });
  await p.volume.swap({ 'config.json': config, 'a.conf': 'one' });
  const helper = [process.execPath, FROM_SOURCE, 'kolla-init', 'watch', '--root', p.root, '--config-dir', p.configDir];
  await using watch = await start('unshare', [...noWatches, ...helper, '--poll', '100ms', '--settle', '0'], {
    keepOutput: true,
  });
  let said = '';
  watch.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the first look', 20_000, () => Promise.resolve(said.includes('"version ') || undefined));
  await p.volume.swap({ 'config.json': config, 'a.conf': 'two' });
  await until(`the change`, 20_000, async () => {
    return (await readFile(join(p.root, 'etc/a.conf'), 'utf8')) === 'two' || undefined;
  });
  assert.equal(said.match(/no watch is left on this node/g)?.length, 1, said);
});

const cannotNest = await run('unshare', ['--pid', '--fork', '--mount-proc', 'true']).then(
  ({ code, stderr }) => code !== 0 && stderr,
);

/** PID 1 of a namespace that has this watch in it, and perhaps another service. */
async function inNamespace(
  p: Pod,
  env: NodeJS.ProcessEnv,
  first: string,
  other = '',
): Promise<{ heard: string; said: string }> {
  const [heard, log] = [join(p.configDir, '..', 'heard'), join(p.configDir, '..', 'log')];
  const script = `${other} "$@" 2> ${log} & ${first}`.replaceAll('HEARD', heard);
  const files = ['--root', p.root, '--config-dir', p.configDir];
  const helper = [process.execPath, FROM_SOURCE, 'kolla-init', 'watch', ...files, '--on-change', 'signal:HUP'];
  await rm(join(p.root, 'etc/a.conf'));
  const unshare = ['--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', script, 'bash', ...helper];
  const running = await start('unshare', unshare, { env: { PATH: process.env['PATH'], ...env } });
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await running.stop(0)));
  return await until('the signal', 20_000, async () => {
    const [got, said] = await Promise.all([heard, log].map((file) => readFile(file, 'utf8').catch(() => '')));
    return got && said?.includes('sent to') ? { heard: got, said } : undefined;
  }).catch(async (error: Error) => {
    throw new Error(`${error.message}; it said ${await readFile(log, 'utf8').catch(() => 'nothing')}`);
  });
}

const hears = (name: string) => `trap 'echo ${name} >> HEARD' HUP; while :; do sleep 0.1; done`;

test('without a name the signal goes to PID 1, as docker shares it', { skip: cannotNest }, async () => {
  await using p = await prepared();
  assert.equal((await inNamespace(p, {}, hears('first'))).heard, 'first\n');
});

test('in a Pod PID 1 is nobody, and the signal goes to the only other service', { skip: cannotNest }, async () => {
  await using p = await prepared();
  const other = `bash -c "${hears('other')}" &`;
  const { heard, said } = await inNamespace(p, { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, 'exec sleep 1000', other);
  assert.equal(heard, 'other\n');
  assert.match(said, /sent to bash \(pid [2-9]\)/);
});

test('a root that is not there ends it with 65', async () => {
  const { code, stderr } = await runHelper('kolla-init', ['watch', '--root', '/no/such/root']);
  assert.equal(code, 65, stderr);
});

/** Ends the process that resolves what only the watch needs. */
const NO_WATCH = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (/chokidar|run-watch|on-change/.test(specifier)) throw new Error('loaded ' + specifier);
    return next(specifier, context);
  },
});`;

test('kolla-init alone loads nothing of the watch', async () => {
  await using p = await prepared();
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NO_WATCH)}` };
  const args = ['--root', p.root, '--config-dir', p.configDir];
  const without = await runHelper('kolla-init', args, { env });
  assert.equal(without.code, 0, without.stderr);
  assert.match((await runHelper('kolla-init', ['watch', ...args], { env })).stderr, /loaded \S*run-watch/);
});

for (const [name, args] of [
  ['an action that there is not', ['--on-change', 'restart']],
  ['a command that there is not', ['--on-change', 'exec:/no/such/program']],
  ['a poll that never rests', ['--poll', '1ms']],
  ['actions that take no time', ['--action-timeout', '0']],
  ['a word too many', ['keystone']],
] as const) {
  test(`${name} ends it with 64 before anything is watched`, async () => {
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
