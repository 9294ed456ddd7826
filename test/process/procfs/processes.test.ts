import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inMask, isNamed, listProcesses, type ProcessInfo } from '../../../src/process/procfs/processes.ts';
import { start } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';

async function seen(pid: number, words: string): Promise<ProcessInfo> {
  return await until(`process ${pid} to be ${words}`, async () => {
    return listProcesses().find((one) => one.pid === pid && one.words.join(' ') === words);
  });
}

test('a process has its parent, name, arguments and user', async () => {
  await using running = await start('sleep', ['1000']);
  const { parent, name, words, uid } = await seen(running.pid, 'sleep 1000');
  assert.deepEqual(
    { parent, name, words, uid },
    { parent: process.pid, name: 'sleep', words: ['sleep', '1000'], uid: process.geteuid?.() },
  );
});

test('handled and ignored signals are distinguished', async () => {
  const script = "trap '' USR1; trap : USR2; while :; do sleep 1000; done";
  await using running = await start('bash', ['-c', script]);
  await until('the traps', async () => {
    const one = listProcesses().find(({ pid }) => pid === running.pid);
    return (one !== undefined && inMask(one.caught, 'SIGUSR2')) || undefined;
  });
  const { caught, ignored } = await seen(running.pid, `bash -c ${script}`);
  assert.deepEqual(
    (['SIGUSR1', 'SIGUSR2', 'SIGHUP'] as const).map((signal) => [inMask(caught, signal), inMask(ignored, signal)]),
    [
      [false, true],
      [true, false],
      [false, false],
    ],
  );
});

test('a zombie does not count as a process', async () => {
  // The child exits only after the shell has executed a program that never reaps it.
  const child = '(until [[ $(< /proc/$$/comm) == sleep ]]; do :; done) &';
  await using running = await start('bash', ['-c', `${child} exec sleep 1000`]);
  await seen(running.pid, 'sleep 1000');
  const zombie = await until('the child to have ended', async () => {
    const [pid] = (await readFile(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')).split(' ');
    return / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')) ? Number(pid) : undefined;
  });
  assert.equal(
    listProcesses().find(({ pid }) => pid === zombie),
    undefined,
  );
});

const info = (name: string, words: readonly string[]): ProcessInfo => {
  return { pid: 7, parent: 1, name, words, uid: 0, caught: 0n, ignored: 0n };
};

test('a process is named by its kernel name, its file, or the script of an interpreter', () => {
  assert.ok(isNamed(info('httpd', ['/usr/sbin/httpd', '-DFOREGROUND']), 'httpd'));
  assert.ok(isNamed(info('nginx', ['nginx: master process /usr/sbin/nginx']), 'nginx'));
  assert.ok(isNamed(info('python3', ['/usr/bin/python3', '/usr/bin/glance-api']), 'glance-api'));
  assert.ok(isNamed(info('neutron-openvsw', ['neutron-openvswitch-agent: worker']), 'neutron-openvswitch-agent'));
  assert.ok(!isNamed(info('httpd', ['/usr/sbin/httpd']), 'http'));
  assert.ok(!isNamed(info('sleep', ['sleep', '1', 'glance-api']), 'glance-api'));
  assert.ok(isNamed(info('bash', ['bash', '-e', '/usr/bin/glance-api']), 'glance-api'));
  assert.ok(!isNamed(info('bash', ['bash', '-ec', 'tail -f /var/log/glance-api']), 'glance-api'));
});
