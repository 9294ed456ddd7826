import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { GATE } from '../../../src/migrate/child/guard-script.ts';
import { startGuarded } from '../../../src/migrate/child/guarded-child.ts';
import { Pulse } from '../../../src/migrate/child/pulse.ts';
import { childrenOf } from '../../support/children.ts';
import { until } from '../../support/until.ts';

/** Used in place of the lock session's socket by tests that do not need it. */
const NO_SOCKET = 2;

async function runGuarded(script: string): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const env = { PATH: process.env['PATH'] };
  const child = await startGuarded(['sh', '-c', script], {
    env,
    descriptor: NO_SOCKET,
    onLine: (line) => lines.push(line),
  });
  return { code: await child.ended, lines };
}

test("a command's output and exit code are passed on", async () => {
  assert.deepEqual(await runGuarded('echo out; exit 3'), { code: 3, lines: ['out'] });
});

test('a command killed by a signal has 128 plus its number', async () => {
  assert.equal((await runGuarded('kill -TERM $$')).code, 143);
});

test("processes left in a command's group are killed with it", async () => {
  const { lines } = await runGuarded('sleep 1000 & echo $!');
  await gone(Number(lines[0]));
});

test('a command that ignores SIGTERM is killed', async () => {
  let isUp: () => void;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const child = await startGuarded(['sh', '-c', "trap '' TERM; echo up; while :; do sleep 1; done"], {
    env: { PATH: process.env['PATH'] },
    descriptor: NO_SOCKET,
    onLine: () => isUp(),
  });
  await up;
  assert.equal(await child.stop(), 137);
});

test('a command is killed when its helper is killed, and its socket closes only afterwards', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const holder = spawn(process.execPath, [
    fileURLToPath(new URL('guarded-child-holder.ts', import.meta.url)),
    String((server.address() as AddressInfo).port),
  ]);
  const [socket] = (await once(server, 'connection')) as [Socket];
  t.after(() => socket.destroy());
  const [line] = (await once(holder.stdout, 'data')) as [Buffer];
  const pid = Number(String(line));
  assert.ok(!isGone(pid));
  socket.resume();
  holder.kill('SIGKILL');
  await once(socket, 'end');
  await gone(pid);
});

test('a command is killed by its guard when the lock is not confirmed in time', async () => {
  const pulse = new Pulse(() => performance.now() + 1000);
  const child = await startGuarded(['sh', '-c', "trap '' TERM; sleep 1000 & echo $!; wait"], {
    env: { PATH: process.env['PATH'] },
    descriptor: NO_SOCKET,
    onLine: () => {},
    pulse,
  });
  assert.equal(await child.ended, 137);
  assert.equal(child.hasExpired(), true);
});

test('a command is not started if the lock was last confirmed too long ago', async () => {
  const lines: string[] = [];
  const child = await startGuarded(['echo', 'started'], {
    env: { PATH: process.env['PATH'] },
    descriptor: NO_SOCKET,
    onLine: (line) => lines.push(line),
    pulse: new Pulse(() => performance.now() - 1),
  });
  await child.ended;
  assert.deepEqual(lines, []);
  assert.equal(child.hasExpired(), true);
});

test('a confirmation extends the deadline, and replaces the previous one', async () => {
  let left = 4000;
  const pulse = new Pulse(() => performance.now() + left);
  const child = await startGuarded(['sleep', '5'], {
    env: { PATH: process.env['PATH'] },
    descriptor: NO_SOCKET,
    onLine: () => {},
    pulse,
  });
  left = 60_000;
  for (let i = 0; i < 20; i++) pulse.beat();
  assert.equal(await child.ended, 0);
  assert.equal(child.hasExpired(), false);
});

test('no guard is left behind if the command cannot be started', async () => {
  const options = { env: {}, descriptor: NO_SOCKET, onLine: () => {} };
  await assert.rejects(startGuarded(['true'], { ...options, directory: '/nowhere' }), { exitCode: 69 });
  // Larger than the kernel accepts, which Node throws.
  await assert.rejects(startGuarded(['true'], { ...options, env: { LARGE: 'x'.repeat(2 ** 18) } }), { exitCode: 69 });
  const isGuard = ({ commandLine }: { commandLine: string }) => commandLine.includes('kolla-db-sync-guard');
  await until('the guard to exit', () => (childrenOf(process.pid).some(isGuard) ? undefined : true));
});

test('without its helper the command does not start', async () => {
  const gate = spawn('/bin/sh', ['-c', GATE, 'sh', 'echo', 'begun'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  let said = '';
  gate.stdout?.on('data', (chunk: Buffer) => (said += String(chunk)));
  (gate.stdio[3] as Socket).end();
  await once(gate, 'close');
  assert.equal(said, '');
});

/** A process that is killed closes its files a moment before it counts as dead. */
async function gone(pid: number): Promise<void> {
  await until(`process ${pid} to exit`, () => Promise.resolve(isGone(pid) || undefined));
}

/** Dead, but perhaps not reaped: in a container without an init it may never be. */
function isGone(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}
