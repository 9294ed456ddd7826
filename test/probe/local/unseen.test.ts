import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { portQuestion } from '../../../src/probe/local/port.ts';
import type { Capability } from '../../../tools/capability.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS, logLines } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { run } from '../../../tools/process.ts';
import { listenTcp } from '../../support/server.ts';
import { connects, listens, startService } from './service.ts';

const SERVICE_UID = 42_435;
const OTHER_UID = 42_436;
const name = (what: string) => `kp-${what}-${process.pid}`;
const env = { PATH: process.env['PATH'], HOME: '/' };

const other = ['setpriv', ...as(OTHER_UID)];

/** Like another container in the same Pod: the same network, but only its own processes. */
const ALONE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const sidecar = ['unshare', ...ALONE];

const canBeOthers: Capability = async () => {
  const { code, stderr } = await run('setpriv', [...as(OTHER_UID), 'true']);
  return code === 0 ? undefined : `no process can run as another user here: ${stderr.trim()}`;
};

const canHideProcesses: Capability = async () => {
  const { code, stderr } = await run('unshare', [...ALONE, 'true']);
  return code === 0 ? undefined : `no PID namespace can be created here: ${stderr.trim()}`;
};

/** Like a node whose /proc is mounted with hidepid. */
const HIDDEN = ['--mount', 'bash', '-c', 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', 'bash'];

const canMountProc: Capability = async () => {
  const { code, stderr } = await run('unshare', [...HIDDEN, ...other, 'true']);
  return code === 0 ? undefined : `no /proc can be mounted here: ${stderr.trim()}`;
};

const notOthers = await canBeOthers();
const notHidden = await canHideProcesses();
const notMounted = await canMountProc();

function as(uid: number): string[] {
  return ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
}

async function asked(before: readonly string[], words: readonly string[]): Promise<{ code: number; msg: string }> {
  const [command, ...args] = [...before, process.execPath, HELPERS, 'kolla-probe', ...words, '--timeout', '10s'];
  const { code, stderr } = await run(command, args, { env });
  return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
}

test(
  "another user's process is reported with the fix: the owner of its sockets is not visible",
  { skip: notOthers },
  async () => {
    await using server = await listenTcp(() => {});
    const agent = name('agent');
    await using service = await startService(agent, connects(server.port), { uid: SERVICE_UID });
    const { code, msg } = await asked(other, ['connected', agent, `${server.port}`]);
    assert.equal(code, 1);
    assert.equal(
      msg,
      `connected ${agent} ${server.port}: I see sockets to port ${server.port} but not whose they are: ${agent} (pid ${service.pid}) ` +
        `runs as uid ${SERVICE_UID}, and only that user or root may see its descriptors: run this as the same user ` +
        `(runAsUser: ${SERVICE_UID}), or use --any-process`,
    );
    assert.equal((await asked(['setpriv', ...as(SERVICE_UID)], ['connected', agent, `${server.port}`])).code, 0);
    assert.equal((await asked(other, ['connected', '--any-process', `${server.port}`])).code, 0);
  },
);

test("another user's process is certainly unhealthy if no socket to the port exists", { skip: notOthers }, async () => {
  const agent = name('agent');
  await using service = await startService(agent, listens(), { uid: SERVICE_UID });
  const port = await freePort();
  const { code, msg } = await asked(other, ['connected', agent, `${port}`]);
  assert.equal(code, 1);
  assert.match(msg, new RegExp(`${agent} \\(pid ${service.pid}\\) has no established connection to port ${port}`));
});

test("a visible process's sockets say nothing about an invisible one's", { skip: notOthers }, async () => {
  await using server = await listenTcp(() => {});
  const agent = name('agent');
  await using _ = await startService(name('neighbour'), connects(server.port), { uid: OTHER_UID });
  await using service = await startService(agent, listens(), { uid: SERVICE_UID });
  const { code, msg } = await asked(other, ['connected', agent, `${server.port}`]);
  assert.equal(code, 1);
  assert.match(msg, new RegExp(`${agent} \\(pid ${service.pid}\\) has no established connection`));
});

test('a sidecar reports sockets without a visible owner, with the fix', { skip: notHidden }, async () => {
  await using server = await listenTcp(() => {});
  const agent = name('agent');
  await using _ = await startService(agent, connects(server.port));
  const { code, msg } = await asked(sidecar, ['connected', agent, `${server.port}`]);
  assert.equal(code, 1);
  assert.equal(
    msg,
    `connected ${agent} ${server.port}: I see sockets to port ${server.port} but not whose they are: processes of other ` +
      'containers need shareProcessNamespace: true (or use --any-process)',
  );
  assert.equal((await asked(sidecar, ['connected', '--any-process', agent, `${server.port}`])).code, 0);
});

test('a sidecar reports a port without any connection in the Pod as unhealthy', { skip: notHidden }, async () => {
  const port = await freePort();
  const { code, msg } = await asked(sidecar, ['connected', 'nova-compute', `${port}`]);
  assert.equal(code, 1);
  assert.match(msg, /no process named nova-compute; no connections to port/);
});

test('a sidecar finds a listening port, but not processes of other containers', { skip: notHidden }, async () => {
  await using service = await startService(name('server'), listens());
  const words = ['listen', service.said, '--process', name('server')];
  assert.match((await asked(sidecar, words)).msg, /sockets that listen on port \d+ but not whose they are/);
  assert.equal((await asked(sidecar, ['listen', service.said])).code, 0);
  assert.equal((await asked([], ['process', name('server')])).code, 0);
  const { code, msg } = await asked(sidecar, ['process', name('server')]);
  assert.equal(code, 1);
  assert.match(msg, /shows only its own: those of other containers need shareProcessNamespace: true/);
  assert.equal(readlinkSync('/proc/self/ns/net'), readlinkSync(`/proc/${service.pid}/ns/net`));
});

test('if /proc hides processes, the owners of sockets are not guessed', { skip: notMounted }, async () => {
  await using server = await listenTcp(() => {});
  const agent = name('agent');
  await using _ = await startService(agent, connects(server.port), { uid: SERVICE_UID });
  const { code, msg } = await asked(['unshare', ...HIDDEN, ...other], ['connected', agent, `${server.port}`]);
  assert.equal(code, 1);
  assert.match(msg, /but not whose they are/);
});

test('if all processes of the Pod are visible, a missing one is not running', async () => {
  // As the kernel would show it if `pause` held the namespace and another user had the socket.
  await using directory = await privateDirectory('proc');
  const row = '0: 0100007F:9C40 0100007F:1628 01 00000000:00000000 00:00000000 00000000 42435 0 4711 1 0 20 4 30 10 -1';
  for (const [file, text] of Object.entries({ '1/comm': 'pause\n', '1/cmdline': '/pause\0', 'net/tcp': `${row}\n` })) {
    await mkdir(join(directory.path, file, '..'), { recursive: true });
    await writeFile(join(directory.path, file), text);
  }
  const ask = () =>
    portQuestion({ process: { name: 'nova-compute' }, ports: [5672] }, 'connected', 'x', directory.path).ask(
      new AbortController().signal,
    );
  const reason = 'no process named nova-compute; the sockets to port 5672 belong to other processes';
  assert.deepEqual(await ask(), { healthy: false, reason });
  await writeFile(join(directory.path, '1/comm'), 'kolla-sidecar\n');
  const verdict = await ask();
  assert.ok(!verdict.healthy && verdict.isUnseen);
});
