/** How kolla-probe in kolla-core differs: commands that it lacks, PID 1, and its memory limit. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run, start, tied } from '../../tools/process.ts';
import { get } from '../probe/serve/serve-support.ts';
import { column, greeting, OK, packet, packets, result, scripted } from '../support/mysql-packets.ts';
import { listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const directory = await privateDirectory('core-probe');
after(async () => await directory[Symbol.asyncDispose]());
if (missing === undefined) await coreBinary(directory.path, ['kolla-probe', 'healthcheck_port']);
const PROBE = join(directory.path, 'core-bin/kolla-probe');
const env = { PATH: process.env['PATH'] };

function configured(name: string, yaml: string): string {
  const file = join(directory.path, `${name}.yaml`);
  writeFileSync(file, yaml);
  return file;
}

test('serve logs in to MySQL, each time anew', { skip }, async () => {
  const answer = packets(1, ...result([column('version')], [['11.8.9-MariaDB']]));
  const logins: string[] = [];
  await using database = await listenTcp((socket) => {
    scripted([packet(0, greeting()), packet(2, OK), answer, 'end'])(socket);
    socket.once('data', (bytes: Buffer) => logins.push(bytes.toString('latin1', 36, 41)));
  });
  const line = `mysql 127.0.0.1:${database.port} --user probe`;
  const file = configured('database', `checks: { db: { run: "${line}", period: 500ms, timeout: 450ms } }\n`);
  const words = ['serve', '--config', file, '--listen', '127.0.0.1:0'];
  const own = { env: { ...env, KOLLA_PROBE_PASSWORD: 'p' }, keepOutput: true };
  await using running = await start(...tied(PROBE, words), own);
  let said = '';
  running.child.stderr!.on('data', (piece: Buffer) => (said += piece.toString()));
  const [, port] = await until('the address', () => /answered on [^ ]+:(\d+);/.exec(said) ?? undefined);
  await until('two logins', () => logins.length >= 2 || undefined);
  const body = await until('a verdict', async () => {
    const { status, body: text } = await get(Number(port), '/checks/db');
    return status === 200 ? text : undefined;
  });
  assert.ok(!body.includes('unhealthy'), body);
  assert.deepEqual([...new Set(logins)], ['probe']);
});

test("sections of kolla-pod.yaml for kolla-pod's checks are accepted", { skip }, async () => {
  const file = configured('sections', 'probe: { mysql: { user: u }, serve: { listen: "9808" } }\n');
  const { code, stderr } = await run(PROBE, ['process', 'nobody-runs-this', '--config', file], { env });
  assert.equal(code, 1, stderr);
  const wrong = configured('wrong', 'probe: { mysqll: { user: u } }\n');
  assert.equal((await run(PROBE, ['process', 'x', '--config', wrong], { env })).code, 65);
});

test(
  'with closed stdout and stderr no other file gets their descriptors, and the program works',
  { skip },
  async () => {
    const opened = join(directory.path, 'opened');
    writeFileSync(opened, '');
    const closed = ['-c', 'exec "$@" <&- >&- 2>&-', 'sh', PROBE];
    assert.equal((await run('sh', [...closed, '--version'], { env })).code, 0);
    assert.equal((await run('sh', [...closed, 'file-age', opened, '1h'], { env })).code, 0);
    assert.equal((await run('sh', [...closed, 'file-age', join(directory.path, 'none'), '1h'], { env })).code, 1);
  },
);

const NAMESPACE = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const hasNamespace = (await run('unshare', [...NAMESPACE, 'true']).catch(() => undefined))?.code === 0;

test(
  'as PID 1 kolla-probe reaps orphans, and exits on SIGTERM',
  {
    skip: skip || (!hasNamespace && 'needs root, for a pid namespace'),
  },
  async () => {
    // Leaves the process group that is stopped with the check.
    const leaving = ['command', '--', 'sh', '-c', 'setsid sh -c "exit 0" & exit 0'];
    const file = configured(
      'first',
      `checks: { left: { run: ${JSON.stringify(leaving)}, period: 100ms, timeout: 90ms } }\n`,
    );
    const words = [...NAMESPACE, PROBE, 'serve', '--config', file, '--listen', '127.0.0.1:0'];
    await using running = await start(...tied('unshare', words), { env, keepOutput: true });
    let said = '';
    running.child.stderr!.on('data', (piece: Buffer) => (said += piece.toString()));
    const [, port] = await until('the address', () => /answered on [^ ]+:(\d+);/.exec(said) ?? undefined);
    await until('ten answers', async () => {
      const { body } = await get(Number(port), '/metrics');
      return (
        Number(/^kolla_probe_check_duration_seconds_count\{check="left"\} (\d+)$/m.exec(body)?.[1]) >= 10 || undefined
      );
    });
    const [first = 0] = childrenOf(running.pid);
    await until('nothing to be left', () => childrenOf(first).every((pid) => !isZombie(pid)) || undefined);
    process.kill(first, 'SIGTERM');
    assert.equal(await running.ended, 143);
  },
);

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const ROWS = 100_000;
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const needsRoot = process.geteuid?.() !== 0 && 'needs root, for chroot';

for (const [what, port] of [
  ['to other ports', 3306],
  ['of other processes to the same port', 5672],
] as const)
  test(
    `healthcheck_port finds a connection listed after ${ROWS - 1} others ${what}, with a data segment of 4 MiB`,
    { skip: skip || needsRoot },
    async () => {
      const root = join(directory.path, `root-${port}`);
      rootWith(root, port);
      const words = ['--data=4194304', 'chroot', root, '/healthcheck_port', 'nova-compute'];
      const own = { ...env, KOLLA_PROBE_TIMEOUT: '10m' };
      const found = await run('prlimit', [...words, '5672'], { env: own });
      assert.deepEqual([found.code, found.stderr], [0, '']);
      const lacks = await run('prlimit', [...words, '5671'], { env: own });
      assert.equal(lacks.code, 1);
      assert.match(lacks.stderr, /nova-compute \(pid 77\) has no established connection to port 5671/);
    },
  );

/** A root with kolla-core and a /proc of one process, which has the last connection. */
function rootWith(root: string, port: number): void {
  const proc = join(root, 'proc');
  for (const path of ['net', '77/fd']) mkdirSync(join(proc, path), { recursive: true });
  copyFileSync(join(directory.path, 'kolla-core'), join(root, 'healthcheck_port'));
  const row = (i: number, to: number, inode: number) =>
    `${String(i).padStart(4)}: 0100007F:${hex((i % 60_000) + 1024)} 0100007F:${hex(to)} 01 00000000:00000000 00:00000000 00000000 ` +
    `    0        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;
  const others = Array.from({ length: ROWS - 1 }, (_, i) => row(i, port, i + 100));
  writeFileSync(join(proc, 'net/tcp'), HEAD + others.join('') + row(ROWS, 5672, 42));
  writeFileSync(join(proc, 'net/tcp6'), HEAD);
  writeFileSync(join(proc, '77/comm'), 'nova-compute\n');
  writeFileSync(join(proc, '77/cmdline'), 'python3\0/usr/bin/nova-compute\0');
  writeFileSync(join(proc, '77/stat'), '77 (nova-compute) S 1 77 77 0 -1 0\n');
  symlinkSync('socket:[42]', join(proc, '77/fd/3'));
}

const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
