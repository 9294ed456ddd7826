import assert from 'node:assert/strict';
import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileAgeQuestion } from '../../../src/probe/checks/file-age.ts';
import { processQuestion } from '../../../src/probe/local/process.ts';
import { socketQuestion } from '../../../src/probe/local/unix-socket.ts';
import type { CheckResult } from '../../../src/probe/ask/verdict.ts';
import { listProcesses } from '../../../src/process/procfs/processes.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { run, start } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';
import { startService } from './service.ts';
import { startStranger } from './stranger.ts';

const name = (what: string) => `kp-${what}-${process.pid}`;
const signal = () => new AbortController().signal;

async function listensAt(path: string, what = name('daemon')) {
  return await startService(
    what,
    `require('node:net').createServer().listen(${JSON.stringify(path)}, () => say('up'));`,
  );
}

async function socketAt(path: string, process?: string): Promise<CheckResult> {
  const query = process === undefined ? undefined : { name: process };
  return await socketQuestion({ process: query, path }, 'asked').ask(signal());
}

test('a process that listens on a Unix socket is healthy, another one is not', async () => {
  await using directory = await privateDirectory('socket');
  const path = join(directory.path, 'db.sock');
  await using daemon = await listensAt(path);
  await using idle = await startService(name('idle'), "say('up'); setInterval(() => {}, 1000);");
  assert.deepEqual(await socketAt(path, name('daemon')), {
    healthy: true,
    detail: `${name('daemon')} (pid ${daemon.pid}) listens on ${path}`,
  });
  assert.deepEqual(await socketAt(path), { healthy: true, detail: `a process listens on ${path}` });
  assert.deepEqual(await socketAt(path, name('idle')), {
    healthy: false,
    reason: `${name('idle')} (pid ${idle.pid}) does not listen on ${path}; ${name('daemon')} (pid ${daemon.pid}) does`,
  });
  assert.deepEqual(await socketAt(path, name('nobody')), {
    healthy: false,
    reason: `no process named ${name('nobody')}; ${name('daemon')} (pid ${daemon.pid}) listens on ${path}`,
  });
});

test('a stale socket file does not count', async () => {
  await using directory = await privateDirectory('socket');
  const path = join(directory.path, 'db.sock');
  {
    await using daemon = await listensAt(path);
    daemon.running.child.kill('SIGKILL');
    await daemon.running.ended;
  }
  assert.deepEqual(await socketAt(path), {
    healthy: false,
    reason: `nothing listens on ${path}; the file is left over from a process that has exited`,
  });
  assert.deepEqual(await socketAt(join(directory.path, 'none')), {
    healthy: false,
    reason: `nothing listens on ${join(directory.path, 'none')}; the file does not exist`,
  });
});

test('a socket is found under another name of its directory, such as /var/run for /run', async () => {
  await using directory = await privateDirectory('socket');
  await mkdir(join(directory.path, 'run'));
  await symlink(join(directory.path, 'run'), join(directory.path, 'var-run'));
  await using _ = await listensAt(join(directory.path, 'var-run/db.sock'));
  assert.equal((await socketAt(join(directory.path, 'run/db.sock'), name('daemon'))).healthy, true);
  await mkdir(join(directory.path, 'other'));
  await writeFile(join(directory.path, 'other/db.sock'), '');
  assert.equal((await socketAt(join(directory.path, 'other/db.sock'))).healthy, false);
});

test('an abstract socket has a name and no file', async () => {
  const path = `@kp-${process.pid}-abstract`;
  await using _ = await startService(
    name('daemon'),
    `require('node:net').createServer().listen('\\0' + ${JSON.stringify(path.slice(1))}, () => say('up'));`,
  );
  assert.equal((await socketAt(path, name('daemon'))).healthy, true);
  assert.deepEqual(await socketAt(`${path}-not`), {
    healthy: false,
    reason: `nothing listens on ${path}-not; no socket has that name`,
  });
});

test('a process is running until it exits', async () => {
  await using _ = await startStranger();
  const asked = processQuestion({ name: `${name('runs')} ` }, 'asked');
  {
    await using service = await startService(name('runs'), "say('up'); setInterval(() => {}, 1000);");
    assert.deepEqual(await asked.ask(signal()), { healthy: true, detail: `${name('runs')} (pid ${service.pid})` });
  }
  assert.deepEqual(await asked.ask(signal()), { healthy: false, reason: `no process named ${name('runs')}` });
});

test('a pattern is matched against whole command lines', async () => {
  await using _ = await startStranger();
  await using running = await start('bash', ['-c', `exec -a ${name('server')} sleep 1000`]);
  const asked = (pattern: string) => processQuestion({ name: pattern, isPattern: true }, 'asked').ask(signal());
  await until('the program', async () => ((await asked(`${name('server')} 1000`)).healthy ? true : undefined));
  assert.deepEqual(await asked(`${name('server')} 10*$`), {
    healthy: true,
    detail: `${name('server')} 10*$ (pid ${running.pid})`,
  });
  assert.deepEqual(await asked(`^${name('server')}$`), {
    healthy: false,
    reason: `no process whose command line matches '^${name('server')}$'`,
  });
});

test('the shell that runs the probe does not match itself', async () => {
  await using directory = await privateDirectory('shell');
  const silent = join(directory.path, 'silent');
  assert.equal((await run('mkfifo', [silent])).code, 0);
  const asked = async (called: string) => {
    // The shell waits by a builtin: a child would have the shell's command line until its exec.
    const line = `: /usr/bin/${called} process --pattern ${name('sought')}; read -rt 1000 <> ${silent}; :`;
    await using _ = await start('bash', ['-c', line]);
    const running = processQuestion({ name: name('sought'), isPattern: true }, 'asked');
    if (called === 'another') await until('the shell', async () => (await running.ask(signal())).healthy || undefined);
    else await until('the shell', async () => (await shellsWith(name('sought'))) > 0 || undefined);
    return (await running.ask(signal())).healthy;
  };
  assert.equal(await asked('another'), true);
  for (const one of ['kolla-probe', 'kolla-pod', 'healthcheck_port']) assert.equal(await asked(one), false, one);
});

async function shellsWith(text: string): Promise<number> {
  const all = listProcesses();
  return all.filter(({ words }) => words[0] === 'bash' && words.some((word) => word.includes(text))).length;
}

test('a file is recent, too old, or missing', async () => {
  await using directory = await privateDirectory('age');
  const path = join(directory.path, 'heartbeat');
  await writeFile(path, '');
  const nowMs = 1_800_000_000_000;
  const asked = () => fileAgeQuestion({ path, maxAgeMs: 60_000 }, 'asked', () => nowMs).ask(signal());
  await utimes(path, nowMs / 1000, nowMs / 1000 - 30);
  assert.deepEqual(await asked(), { healthy: true, detail: `${path} was written 30s ago` });
  await utimes(path, nowMs / 1000, nowMs / 1000 - 61);
  assert.deepEqual(await asked(), {
    healthy: false,
    reason: `${path} was written 1m01s ago, more than the maximum of 1m`,
  });
  await utimes(path, nowMs / 1000, nowMs / 1000 + 59);
  assert.deepEqual(await asked(), { healthy: true, detail: `${path} was written 0ms ago` });
  await utimes(path, nowMs / 1000, nowMs / 1000 + 3600);
  assert.deepEqual(await asked(), {
    healthy: false,
    reason: `${path} has a modification time 1h in the future: check the clocks`,
  });
  await rename(path, `${path}-gone`);
  assert.deepEqual(await asked(), { healthy: false, reason: `no such file or directory: ${path}` });
});
