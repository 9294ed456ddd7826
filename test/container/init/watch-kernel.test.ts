/** What the kernel does to a watch: mounts, limits and losses of inotify, a full volume, namespaces of processes. */
import assert from 'node:assert/strict';
import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneFile } from '../../config/watch/support.ts';
import { pod, type Pod } from '../../config/support.ts';
import { isOnCore } from '../../support/helper.ts';
import { run } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';
import { prepared, sidecar } from './watch-support.ts';

const cannotMount = await run('unshare', ['--mount', 'true']).then(({ code, stderr }) => code !== 0 && stderr);

/** In a mount namespace of its own, after this script, whose last command runs what follows. */
const withMounts = (script: string, ...words: string[]) => [
  'unshare',
  '--mount',
  'bash',
  '-c',
  script,
  'bash',
  ...words,
];

test('a file mount is reported, because a new version never reaches it', { skip: cannotMount }, async () => {
  await using p = await prepared();
  const plain = join(p.configDir, '..', 'plain');
  await p.write(join(plain, 'config.json'), oneFile());
  await p.write(join(plain, 'a.conf'), 'one');
  const launcher = withMounts('mount --bind "$1" "$1" && shift && exec "$@"', join(plain, 'a.conf'));
  await rm(join(p.root, 'etc/a.conf'));
  await using watch = await sidecar({ root: p.root, configDir: plain }, ['--on-change', 'exit'], {}, launcher);
  assert.equal(await watch.running.ended, 0, watch.said());
  await watch.until(/plain\/a\.conf is mounted itself: .*mount the directory, without subPath/);
});

/**
 * $1 is the config directory, $2 the installed file, $3 the watch's log; the rest is the watch's command line. Each volume
 * is mounted whole, so that each is one change.
 */
const REMOUNT = `
config="$1" placed="$2" log="$3"; shift 3
plain="$config/../plain" next="$config/../next"
fill() {
  echo "$1" > "$plain/a.conf" && mkdir -p "$next" && mount -t tmpfs none "$next" && cp -r "$plain/." "$next" &&
    mount --move "$next" "$config"
}
fill one || exit 1
"$@" 2> "$log" & watch=$!
trap 'kill $watch' EXIT
until grep -qs one "$placed"; do kill -0 $watch || exit 1; sleep 0.05; done
until umount "$config"; do sleep 0.05; done
until grep -qs 'no config.json in' "$log"; do kill -0 $watch || exit 1; sleep 0.05; done
fill two || exit 1
until [ "$(grep -c 'changed: 1 file' "$log")" = 2 ]; do kill -0 $watch || exit 1; sleep 0.05; done
`;

test('a volume that is unmounted and mounted again is still watched', { skip: cannotMount }, async () => {
  await using p = await pod();
  await p.write(join(p.configDir, '..', 'plain/config.json'), oneFile());
  const log = join(p.configDir, '..', 'log');
  const launcher = withMounts(REMOUNT, p.configDir, join(p.root, 'etc/a.conf'), log);
  await using watch = await sidecar(p, ['--poll', '100ms'], {}, launcher);
  const code = await watch.running.ended;
  const said = await readFile(log, 'utf8');
  assert.equal(code, 0, watch.said() + said);
  assert.match(said, /changed: 1 file[^]*no config\.json in[^]*changed: 1 file/);
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'two\n');
});

/** The volume $1 is full from when the file $2/fill exists, which is then removed, until $2/free does. */
const FULL = `
mount -t tmpfs -o size=64k none "$1" && cp -a "$1-content/." "$1" || exit 1
volume="$1" signs="$2"; shift 2
{
  until [ -e "$signs/fill" ]; do sleep 0.05; done
  dd if=/dev/zero of="$volume/filler" status=none 2> /dev/null
  rm "$signs/fill"
  until [ -e "$signs/free" ]; do sleep 0.05; done
  rm "$volume/filler"
} &
exec "$@"
`;

test(
  'a full volume keeps the former version, and the new one is installed when there is room',
  { skip: cannotMount },
  async () => {
    await using p = await prepared();
    const [root, signs] = [join(p.root, '..', 'volume'), join(p.root, '..')];
    await mkdir(root);
    await run('cp', ['-a', p.root, `${root}-content`]);
    const counts = `exec:sh -c 'wc -c < ${join(root, 'etc/a.conf')}'`;
    await using watch = await sidecar({ ...p, root }, ['--on-change', counts], {}, withMounts(FULL, root, signs));
    await watch.until(/already installed/);
    await writeFile(join(signs, 'fill'), '');
    await until('the volume to be full', () => (existsSync(join(signs, 'fill')) ? undefined : true));
    await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'n'.repeat(20_000) });
    await watch.until(/not installed, retrying in .*ENOSPC.*the volume is full; files already there are whole/);
    await writeFile(join(signs, 'free'), '');
    assert.match(await watch.until(/exec:sh: done/), /"msg":"20000"/);
  },
);

/** Words of unshare for a user namespace without any of what the limit is for. */
const limited = (limit: string) => {
  const script = `echo 0 > /proc/sys/user/${limit} && exec "$@"`;
  return ['--user', '--map-root-user', 'sh', '-c', script, 'sh'];
};
for (const [limit, reason] of [
  ['max_inotify_watches', /no watch is left on this node/g],
  ['max_inotify_instances', /no inotify instance is left on this node/g],
] as const) {
  const namespace = limited(limit);
  const cannotLimit = await run('unshare', [...namespace, 'true']).then(({ code, stderr }) => code !== 0 && stderr);

  test(`polling finds the change if the kernel's limit is reached: ${limit}`, { skip: cannotLimit }, async () => {
    await using p = await prepared();
    const config = oneFile({ owner: undefined, perm: undefined, preserve_properties: true });
    await p.volume.swap({ 'config.json': config, 'a.conf': 'one' });
    await using watch = await sidecar(p, ['--poll', '100ms'], {}, ['unshare', ...namespace]);
    await watch.until(/"version /);
    await p.volume.swap({ 'config.json': config, 'a.conf': 'two' });
    await until('the change', async () => {
      return (await readFile(join(p.root, 'etc/a.conf'), 'utf8')) === 'two' || undefined;
    });
    assert.equal(watch.said().match(reason)?.length, 1, watch.said());
  });
}

const EVENTS_MAX = Number(await readFile('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
/** libuv does not report that events were lost. */
const AFTER_LOSS = isOnCore ? ['--poll', '1h'] : ['--poll', '1s'];

test('a change is found although a frozen watch lost its events', { skip: EVENTS_MAX > 100_000 }, async () => {
  await using p = await prepared();
  await using watch = await sidecar(p, AFTER_LOSS);
  await watch.until(/already installed/);
  process.kill(watch.running.pid, 'SIGSTOP');
  // In the parent of the config directory, which is watched for its name: two events each.
  const noise = join(p.configDir, '..', 'noise');
  for (let i = 0; i <= EVENTS_MAX / 2; i++) {
    writeFileSync(noise, '');
    unlinkSync(noise);
  }
  await p.volume.swap({ 'config.json': oneFile(), 'a.conf': 'two' });
  process.kill(watch.running.pid, 'SIGCONT');
  await watch.until(/changed: 1 file/);
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'two');
});

const cannotNest = await run('unshare', ['--pid', '--fork', '--mount-proc', 'true']).then(
  ({ code, stderr }) => code !== 0 && stderr,
);

/** PID 1 of a namespace with this watch, which starts after `other`. */
async function inNamespace(
  p: Pod,
  env: NodeJS.ProcessEnv,
  first: string,
  other = '',
): Promise<{ heard: string; said: string }> {
  const at = (name: string) => join(p.configDir, '..', name);
  const [heard, log, ready] = [at('heard'), at('log'), at('ready')];
  const script = `${other} "$@" 2> ${log} & ${first}`.replaceAll('HEARD', heard).replaceAll('READY', ready);
  await rm(join(p.root, 'etc/a.conf'));
  const launcher = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', script, 'bash'];
  const { running } = await sidecar(p, ['--on-change', 'signal:HUP'], env, launcher);
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await running.stop(0)));
  return await until('the signal', async (saw) => {
    const [got, said] = await Promise.all([heard, log].map((file) => readFile(file, 'utf8').catch(() => '')));
    saw(said);
    return got && said?.includes('sent to') ? { heard: got, said } : undefined;
  });
}

const hears = (name: string) => `trap 'echo ${name} >> HEARD' HUP; echo > READY; while :; do sleep 0.1; done`;

test(
  'without a process name the signal goes to PID 1, as when Docker shares the PID namespace',
  { skip: cannotNest },
  async () => {
    await using p = await prepared();
    assert.equal((await inNamespace(p, {}, hears('first'))).heard, 'first\n');
  },
);

test(
  'in a Pod PID 1 is the pause process, and the signal goes to the only other service',
  { skip: cannotNest },
  async () => {
    await using p = await prepared();
    // Before its trap the signal would kill it.
    const other = `bash -c "${hears('other')}" & until [ -e READY ]; do sleep 0.1; done;`;
    const { heard, said } = await inNamespace(p, { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, 'exec sleep 1000', other);
    assert.equal(heard, 'other\n');
    assert.match(said, /sent to bash \(pid [2-9]\)/);
  },
);
