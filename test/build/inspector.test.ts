/** SIGUSR1, on which plain node opens its inspector to every client on the loopback address. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { callOf } from '../../build/make.ts';
import { ALL_NAMES } from '../../build/names.ts';
import { binaryOf } from '../../src/toolbox/install/core-names.ts';
import { eachInetSocket, eachSocketInode } from '../../src/process/procfs/index.ts';
import { canThrowAwayRoots, inThrowAwayRoot } from '../contract/throw-away-root.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, run, start } from '../../tools/process.ts';

/** Node's message when it opens the inspector, or fails to. */
const OPENED = /Debugger|inspector/i;

let directory: Directory;
let dist: string;

before(async () => {
  directory = await privateDirectory('sigusr1');
  dist = (await podBinary()).directory;
});
after(async () => await directory[Symbol.asyncDispose]());

/** Executes the program with SIGUSR1 blocked and pending: node unblocks it before our first line, and receives it. */
const PENDING = `import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
os.execv(sys.argv[1], sys.argv[1:])`;

/** Commands that run in Node. */
const NAMES = ALL_NAMES.filter((name) => binaryOf(name, true) === 'kolla-pod');

for (const name of NAMES) {
  test(`${name} opens no inspector for a SIGUSR1 that arrives before its first line`, async () => {
    // The exit code is not checked: node aborts if the signal's thread wakes up only after a short run is over.
    const { stderr } = await run('python3', ['-c', PENDING, ...callOf(dist, name), '--version'], { env: {} });
    assert.doesNotMatch(stderr, /Debugger listening/);
  });

  test(`${name} opens no inspector for a SIGUSR1 while it runs`, async (t) => {
    await using full = await fullPipe(join(directory.path, `${name}.pipe`));
    const [file, ...words] = callOf(dist, name);
    const child = spawn(file, [...words, '--version'], { env: {}, stdio: ['ignore', full.end, 'pipe'] });
    t.after(() => child.kill('SIGKILL'));
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const pid = child.pid ?? assert.fail('not started');
    // The child cannot write its version into the full pipe, and therefore waits in its event loop.
    await until('its event loop', async () => {
      return (await readFile(`/proc/${pid}/wchan`, 'utf8')).includes('poll') || undefined;
    });
    process.kill(pid, 'SIGUSR1');
    assert.deepEqual(await listeningPorts(pid), []);
    full.drain();
    const [code] = (await once(child, 'close')) as [number | null];
    assert.deepEqual([code, said], [0, '']);
  });
}

/** A full pipe, to which nothing can be written until it is drained. */
async function fullPipe(path: string) {
  await must('mkfifo', [path]);
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const end = openSync(path, constants.O_WRONLY);
  const buffer = Buffer.alloc(2 ** 20);
  assert.throws(() => {
    for (;;) writeSync(both, buffer);
  }, /EAGAIN/);
  return {
    end,
    drain: () => void readSync(both, buffer),
    async [Symbol.asyncDispose]() {
      for (const fd of [both, end]) closeSync(fd);
    },
  };
}

/** The addresses on which a process listens. */
async function listeningPorts(pid: number): Promise<number[]> {
  const effects = { proc: '/proc', signal: new AbortController().signal };
  const inodes = new Set<string>();
  await eachSocketInode(pid, (inode) => !inodes.add(inode), effects);
  const ports: number[] = [];
  const look = ({ state, inode, local }: { state: string; inode: string; local: { port: number } }) => {
    if (state === 'LISTEN' && inodes.has(inode)) ports.push(local.port);
    return false;
  };
  await eachInetSocket(['tcp'], look, effects);
  return ports;
}

interface Resident {
  readonly words: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Output that shows that it waits permanently; `asked` if a connection to the silent server shows it. */
  readonly waiting: RegExp | 'asked';
}

function kubeconfigFor(server: string): string {
  const file = join(directory.path, 'kubeconfig');
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace: 'openstack' } }],
    clusters: [{ name: 'here', cluster: { server } }],
    users: [{ name: 'me', user: { token: 'token' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Names that wait, for a port without a listener or for a server that accepts connections and never responds. */
function residents(closed: number, silent: number): Readonly<Record<string, Resident>> {
  const url = `http://127.0.0.1:${silent}`;
  return {
    'kolla-init': {
      words: ['--wait', `tcp://127.0.0.1:${closed}`, '--config-dir', directory.path, '--allow-no-config'],
      waiting: /ECONNREFUSED/,
    },
    'kolla-db-sync': {
      words: ['status', 'keystone'],
      env: { KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://k:p@127.0.0.1:${silent}/keystone` },
      waiting: 'asked',
    },
    'kolla-bootstrap': {
      words: ['plan', 'keystone', '--only', 'users'],
      env: { OS_AUTH_URL: `${url}/v3`, OS_USERNAME: 'a', OS_PASSWORD: 'p', OS_PROJECT_NAME: 'admin' },
      waiting: 'asked',
    },
    'kolla-probe': { words: ['http', url, '--timeout', '10m'], waiting: 'asked' },
    'kubernetes-entrypoint': {
      words: [],
      env: { DEPENDENCY_SOCKET: join(directory.path, 'none') },
      waiting: /does not exist yet/,
    },
    healthcheck_curl: { words: [url], waiting: 'asked' },
    'kolla-operator': { words: ['--kubeconfig', kubeconfigFor(`https://127.0.0.1:${silent}`)], waiting: 'asked' },
  };
}

for (const name of [
  'kolla-init',
  'kolla-db-sync',
  'kolla-bootstrap',
  'kolla-probe',
  'kubernetes-entrypoint',
  'healthcheck_curl',
  'kolla-operator',
]) {
  test(`${name} opens no inspector for a SIGUSR1 while it waits`, async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    await using silent = await listenTcp(() => onAsked());
    const { words, env, waiting } = residents(await freePort(), silent.port)[name] ?? assert.fail();
    // Selected by the first argument, because some of these names are links to kolla-core.
    await using running = await start(join(dist, 'kolla-pod'), [name, ...words], { env: env ?? {}, keepOutput: true });
    let said = '';
    const spoken = new Promise<void>((resolve, reject) => {
      for (const stream of [running.child.stdout, running.child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (waiting !== 'asked' && waiting.test(said)) resolve();
        });
      running.child.once('close', () => reject(new Error(`it has exited: ${said}`)));
    });
    spoken.catch(() => {});
    const closed = once(running.child, 'close');
    await Promise.race([waiting === 'asked' ? asked : spoken, spoken]);
    process.kill(running.pid, 'SIGUSR1');
    assert.deepEqual(await listeningPorts(running.pid), []);
    // Node calls signal handlers in the order of the signals: SIGUSR1 is handled before this one.
    process.kill(running.pid, 'SIGTERM');
    await closed;
    assert.doesNotMatch(said, OPENED);
  });
}

test('executed and started programs have SIGUSR1 at its default, neither blocked nor ignored', async (t) => {
  const missing = await canThrowAwayRoots();
  if (missing !== undefined) return t.skip(missing);
  const text = `#!/bin/bash\necho "$1" $(grep -E '^Sig(Blk|Ign)' /proc/$$/status) >>/masks
    kill -USR1 $$; echo "$1 is alive" >>/masks\n`;
  const tree = {
    'etc/debian_version': '12\n',
    'etc/group': 'root:x:0:\n',
    'etc/passwd': 'root:x:0:0::/root:\n',
    'usr/bin/tell': { text, mode: 0o755 },
    'usr/local/bin/kolla_extend_start': '',
    'var/lib/kolla/config_files/config.json': JSON.stringify({ command: 'tell kolla_start', config_files: [] }),
  };
  const line = `PATH=${dist}/bin:$PATH; export KOLLA_CONFIG_STRATEGY=COPY_ALWAYS
    (kolla_start); (COMMAND='tell kubernetes-entrypoint' kubernetes-entrypoint); ('${dist}/rootless-bin/sudo' tell sudo)
    (kolla-probe command -- tell child); cat /masks`;
  const { stdout, stderr } = await inThrowAwayRoot(line, { tree, directories: [dist] });
  const said = stdout.split('\n').filter((each) => / Sig| alive/.test(each));
  const hasSigusr1 = (mask = '0') => (BigInt(`0x${mask}`) & (1n << 9n)) !== 0n;
  assert.deepEqual(
    said.map((each) => {
      const [name, , blocked, , ignored] = each.split(' ');
      return [name, hasSigusr1(blocked), hasSigusr1(ignored)];
    }),
    ['kolla_start', 'kubernetes-entrypoint', 'sudo', 'child'].map((name) => [name, false, false]),
    `${stdout}${stderr}`,
  );
});
