import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { oneFile } from '../../config/watch/support.ts';
import { pod, type Pod } from '../../config/support.ts';
import { HELPERS } from '../../support/helper.ts';
import { run, start } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';
import { prepared } from './watch-support.ts';

const cannotMount = await run('unshare', ['--mount', 'true']).then(({ code, stderr }) => code !== 0 && stderr);

test('a file mount is reported, because a new version never reaches it', { skip: cannotMount }, async () => {
  await using p = await prepared();
  const plain = join(p.configDir, '..', 'plain');
  await p.write(join(plain, 'config.json'), oneFile());
  await p.write(join(plain, 'a.conf'), 'one');
  const helper = [process.execPath, HELPERS, 'kolla-init', 'watch', '--root', p.root, '--config-dir', plain];
  const script = 'mount --bind "$1" "$1" && shift && exec "$@"';
  const mounted = ['--mount', 'bash', '-c', script, 'bash', join(plain, 'a.conf'), ...helper, '--on-change', 'exit'];
  await rm(join(p.root, 'etc/a.conf'));
  const { code, stderr } = await run('unshare', mounted);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /plain\/a\.conf is mounted itself: .*mount the directory, without subPath/);
});

/** $1 is the config directory, $2 the installed file, $3 the watch's log; the rest is the watch's command line. */
const REMOUNT = `
config="$1" placed="$2" log="$3"; shift 3
fill() { mount -t tmpfs none "$config" && cp -r "$config/../plain/." "$config" && echo "$1" > "$config/a.conf"; }
fill one || exit 1
"$@" 2> "$log" & watch=$!
trap 'kill $watch' EXIT
until grep -qs one "$placed"; do kill -0 $watch || exit 1; sleep 0.05; done
until umount "$config"; do sleep 0.05; done
echo two > "$config/../plain/a.conf"
until grep -qs 'no config.json in' "$log"; do kill -0 $watch || exit 1; sleep 0.05; done
fill two
until grep -qs two "$placed"; do kill -0 $watch || exit 1; sleep 0.05; done
`;

test('a volume that is unmounted and mounted again is still watched', { skip: cannotMount }, async () => {
  await using p = await pod();
  await p.write(join(p.configDir, '..', 'plain/config.json'), oneFile());
  const helper = [process.execPath, HELPERS, 'kolla-init', 'watch', '--root', p.root, '--config-dir', p.configDir];
  const log = join(p.configDir, '..', 'log');
  const args = [p.configDir, join(p.root, 'etc/a.conf'), log, ...helper, '--poll', '100ms', '--settle', '0'];
  const { code, stderr } = await run('unshare', ['--mount', 'bash', '-c', REMOUNT, 'bash', ...args]);
  const said = await readFile(log, 'utf8');
  assert.equal(code, 0, stderr + said);
  assert.match(said, /changed: 1 file[^]*no config\.json in[^]*changed: 1 file/);
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

test('if the kernel has no inotify watches left, polling finds the change', { skip: cannotLimit }, async () => {
  await using p = await prepared();
  const config = oneFile({ owner: undefined, perm: undefined, preserve_properties: true });
  await p.volume.swap({ 'config.json': config, 'a.conf': 'one' });
  const helper = [process.execPath, HELPERS, 'kolla-init', 'watch', '--root', p.root, '--config-dir', p.configDir];
  await using watch = await start('unshare', [...noWatches, ...helper, '--poll', '100ms', '--settle', '0'], {
    keepOutput: true,
  });
  let said = '';
  watch.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the first poll', () => Promise.resolve(said.includes('"version ') || undefined));
  await p.volume.swap({ 'config.json': config, 'a.conf': 'two' });
  await until(`the change`, async () => {
    return (await readFile(join(p.root, 'etc/a.conf'), 'utf8')) === 'two' || undefined;
  });
  assert.equal(said.match(/no watch is left on this node/g)?.length, 1, said);
});

const cannotNest = await run('unshare', ['--pid', '--fork', '--mount-proc', 'true']).then(
  ({ code, stderr }) => code !== 0 && stderr,
);

/** PID 1 of a namespace with this watch, and optionally another service. */
async function inNamespace(
  p: Pod,
  env: NodeJS.ProcessEnv,
  first: string,
  other = '',
): Promise<{ heard: string; said: string }> {
  const [heard, log] = [join(p.configDir, '..', 'heard'), join(p.configDir, '..', 'log')];
  const script = `${other} "$@" 2> ${log} & ${first}`.replaceAll('HEARD', heard);
  const files = ['--root', p.root, '--config-dir', p.configDir];
  const helper = [process.execPath, HELPERS, 'kolla-init', 'watch', ...files, '--on-change', 'signal:HUP'];
  await rm(join(p.root, 'etc/a.conf'));
  const unshare = ['--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', script, 'bash', ...helper];
  const running = await start('unshare', unshare, { env: { PATH: process.env['PATH'], ...env } });
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await running.stop(0)));
  return await until('the signal', async (saw) => {
    const [got, said] = await Promise.all([heard, log].map((file) => readFile(file, 'utf8').catch(() => '')));
    saw(said);
    return got && said?.includes('sent to') ? { heard: got, said } : undefined;
  });
}

const hears = (name: string) => `trap 'echo ${name} >> HEARD' HUP; while :; do sleep 0.1; done`;

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
    const other = `bash -c "${hears('other')}" &`;
    const { heard, said } = await inNamespace(p, { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, 'exec sleep 1000', other);
    assert.equal(heard, 'other\n');
    assert.match(said, /sent to bash \(pid [2-9]\)/);
  },
);
