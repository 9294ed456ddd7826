/** Kolla's health check commands for processes, sockets and files of this machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper } from '../../support/helper.ts';
import { start } from '../../../tools/process.ts';
import { listenTcp } from '../../support/server.ts';

/** A process with this name that runs a line of JavaScript; resolves with its first output. */
async function running(t: TestContext, called: string, script: string): Promise<string> {
  const actor = await start('bash', ['-c', 'exec -a "$0" "$1" -e "$2"', called, process.execPath, script], {
    keepOutput: true,
  });
  t.after(() => actor.stop());
  const [said] = (await once(actor.child.stdout!, 'data')) as [Buffer];
  return String(said).trim();
}

const connectTo = (port: number) =>
  `require('net').connect(${port}, '127.0.0.1').on('connect', () => console.log('up')).on('error', () => {})`;
const listen = `const s = require('net').createServer().listen(0, () => console.log(s.address().port))`;

for (const [called, name] of [
  ['/usr/bin/kp-compute', 'kp-compute'],
  ['kp-l3-agent (/usr/bin/python3 /usr/bin/kp-l3-agent)', 'kp-l3-agent '],
  ['kp-metricd: master process [/usr/bin/kp-metricd]', 'kp-metricd'],
  ['kp-server: rpc worker (/usr/bin/python3 /usr/bin/kp-rpc-server --config-file /etc/x)', 'kp-rpc-server'],
] as const)
  test(`a process is found by its name as kolla-ansible passes it: '${name}' for ${called}`, async (t) => {
    await using server = await listenTcp(() => {});
    await running(t, called, connectTo(server.port));
    const { code, stdout, stderr } = await runHelper('healthcheck_port', [name, `${server.port}`]);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
  });

test('ports match exactly, several are alternatives, and spaces separate them in one argument as well', async (t) => {
  const port = Number(await running(t, '/usr/bin/kp-listener', listen));
  const ask = (...ports: string[]) => runHelper('healthcheck_listen', ['kp-listener', ...ports]);
  assert.equal((await ask(`${port}`)).code, 0);
  assert.equal((await ask('1', `${port}`)).code, 0);
  assert.equal((await ask(`1 ${port}`)).code, 0);
  const { code, stderr } = await ask(`${port}`.slice(0, -1));
  assert.equal(code, 1);
  assert.match(stderr, /^healthcheck_listen: kp-listener \(pid \d+\) does not listen on port \d+; seen: tcp \*:\d+\n$/);
});

test('a pattern that cannot be a name is matched against command lines', async (t) => {
  const port = await running(t, 'kp-pattern one', listen);
  const ask = (process: string) => runHelper('healthcheck_listen', [process, port]);
  assert.equal((await ask('kp-p.*rn')).code, 0);
  assert.equal((await ask('kp-pattern one')).code, 0);
  assert.equal((await ask('kp-pattern-two')).code, 1);
  assert.match((await ask('kp-(')).stderr, /'kp-\(' is neither the name of a process nor a regular expression/);
});

for (const [name, words] of [
  ['healthcheck_port', []],
  ['healthcheck_port', ['nova-compute']],
  ['healthcheck_port', [' ', '5672']],
  ['healthcheck_port', ['nova-compute', '0']],
  ['healthcheck_port', ['nova-compute', '65536']],
  ['healthcheck_listen', ['sshd', 'ssh']],
  ['healthcheck_socket', ['libvirtd']],
  ['healthcheck_filemod', []],
  ['healthcheck_filemod', ['/etc/hostname']],
  ['healthcheck_filemod', ['/etc/hostname', '5m']],
] as const)
  test(`incomplete arguments are unhealthy, and report what is missing: ${name} ${words.join(' ')}`, async () => {
    const { code, stdout, stderr } = await runHelper(name, words);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, new RegExp(`^${name}: .*(missing argument: ${name} |is not a )`));
  });

test('a socket with a listening process is healthy, a stale socket file is not', async (t) => {
  await using directory = await privateDirectory('kolla');
  const path = join(directory.path, 'sock');
  const ask = (process: string) => runHelper('healthcheck_socket', [process, path]);
  const actor = await start(
    'bash',
    [
      '-c',
      'exec -a "$0" "$1" -e "$2"',
      '/usr/sbin/kp-virtd',
      process.execPath,
      `require('net').createServer().listen('${path}', () => console.log('up'))`,
    ],
    { keepOutput: true },
  );
  t.after(() => actor.stop());
  await once(actor.child.stdout!, 'data');
  assert.equal((await ask('kp-virtd')).code, 0);
  assert.match((await ask('kp-other')).stderr, /no process named kp-other; kp-virtd \(pid \d+\) listens on/);
  actor.child.kill('SIGKILL');
  await actor.ended;
  const { code, stderr } = await ask('kp-virtd');
  assert.equal(code, 1);
  assert.match(stderr, /nothing listens on .*sock/);
});

test('a recent file and a link to one are healthy; an old or missing file and a directory are not', async () => {
  await using directory = await privateDirectory('kolla');
  const file = join(directory.path, 'a file');
  await writeFile(file, '');
  await symlink(file, join(directory.path, 'link'));
  await mkdir(join(directory.path, 'dir'));
  const ask = (name: string, seconds: string) =>
    runHelper('healthcheck_filemod', [join(directory.path, name), seconds]);
  assert.deepEqual(await ask('a file', '60'), { code: 0, stdout: '', stderr: '' });
  assert.equal((await ask('link', '60')).code, 0);
  const old = Date.now() / 1000 - 100;
  await utimes(file, old, old);
  const late = await ask('a file', '60');
  assert.equal(late.code, 1);
  assert.match(late.stderr, /a file was last written 10\d s ago, more than 60 s/);
  assert.equal((await ask('a file', '200')).code, 0);
  for (const name of ['none', 'dir']) {
    const { code, stdout } = await ask(name, '60');
    assert.deepEqual(
      { code, stdout },
      { code: 1, stdout: `${join(directory.path, name)} does not exist for file modification check\n` },
    );
  }
});

test('an invalid deadline is reported', async () => {
  const env = { KOLLA_PROBE_TIMEOUT: 'soon' };
  const { code, stderr } = await runHelper('healthcheck_port', ['nova-compute', '5672'], { env });
  assert.equal(code, 1);
  assert.match(stderr, /KOLLA_PROBE_TIMEOUT: 'soon'/);
});
