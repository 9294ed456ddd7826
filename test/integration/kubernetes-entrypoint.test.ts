import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunOriginal, ORIGINAL } from '../cluster/kubernetes-entrypoint.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { HELPERS } from '../support/helper.ts';
import { run, start } from '../../tools/process.ts';
import { COMMON_ENV, ROWS, type Row, type Reaction } from './kubernetes-entrypoint-rows.ts';
import { ACCOUNTS, makeWorld } from './kubernetes-entrypoint-world.ts';
import { NAMESPACE, prepare } from './waits-objects.ts';
import { Cells } from './waits-table.ts';

/** A ServiceAccount as the kubelet mounts it, visible to one program only. */
const AS_IN_A_POD = `
mount -t tmpfs tmpfs /run
mkdir -p /var/run/secrets/kubernetes.io/serviceaccount
mount --bind "$1" /var/run/secrets/kubernetes.io/serviceaccount
shift
exec "$@"`;
const UNSHARE = ['--user', '--map-root-user', '--mount', 'sh', '-euc', AS_IN_A_POD, 'sh'];
const cannot =
  (await canRunControlPlane()) ??
  (await run('unshare', [...UNSHARE, '/tmp', 'true']).then(({ code, stderr }) =>
    code === 0 ? undefined : `no mounts of its own can be made: ${stderr.trim()}`,
  ));

const COLUMNS = ['drop-in', 'original'];
const noOriginal = await canRunOriginal();

const DROP_IN = [process.execPath, HELPERS, 'kubernetes-entrypoint'];
const AT_ONCE = 4;
const SAID_MS = 60_000;

describe("kubernetes-entrypoint's drop-in on a real API server", { skip: cannot ?? false }, () => {
  let cluster: SharedControlPlane;
  const cells = new Cells(COLUMNS);
  before(async () => {
    cluster = await sharedControlPlane();
    await cluster.createNamespace(NAMESPACE);
    await prepare(cluster);
    await makeWorld(cluster);
    for (const name of ACCOUNTS) await mount(name);
    for (const { name } of ROWS) for (const column of COLUMNS) cells.set(name, column, 'not run');
  });
  after(async () => {
    process.stdout.write(`\n${cells.table()}\n`);
    await cluster[Symbol.asyncDispose]();
  });

  const directoryOf = (account: string) => join(cluster.directory, `mounted-${account}`);
  async function mount(account: string): Promise<void> {
    const token = await cluster.kubectl(['create', 'token', account, `--namespace=${NAMESPACE}`, '--duration=1h']);
    await mkdir(directoryOf(account));
    for (const [name, text] of Object.entries({ token: token.trim(), 'ca.crt': cluster.ca, namespace: NAMESPACE }))
      await writeFile(join(directoryOf(account), name), text);
  }

  /** Arguments of the launcher that run a program as in a Pod, and the program's environment. */
  function inPod(program: readonly string[], { env, account }: Pick<Row, 'env' | 'account'>) {
    const { hostname, port } = new URL(cluster.server);
    const api = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const words = [...UNSHARE, directoryOf(account ?? 'entry'), ...program];
    return { words, env: { PATH: process.env['PATH'], HOME: cluster.directory, ...api, ...COMMON_ENV, ...env } };
  }

  test('each environment has the documented verdict', async () => {
    const judge = async (row: Row) => {
      const { words, env } = inPod(DROP_IN, row);
      await using running = await start('unshare', words, { env, keepOutput: true });
      let said = '';
      let hasSaid = false;
      running.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
      running.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        // It would run forever, so it is stopped when it has logged the reason.
        if (row.ours === 'waits' && !hasSaid && row.says?.test(said) === true) void running.stop();
        hasSaid ||= row.says?.test(said) === true;
      });
      const late = setTimeout(() => void running.stop(), SAID_MS);
      await once(running.child, 'close');
      clearTimeout(late);
      const code = await running.ended;
      const verdict: Reaction = code === 0 ? 'resolved' : code === 143 ? 'waits' : `ends with ${code}`;
      cells.set(row.name, 'drop-in', verdict);
      assert.equal(verdict, row.ours, `${row.name}: ${said}`);
      if (row.says !== undefined) assert.match(said, row.says, row.name);
    };
    await each(ROWS, judge);
  });

  test('with only get and list it reports once which verb is missing', async () => {
    const { words, env } = inPod(DROP_IN, { env: { DEPENDENCY_JOBS: 'done,both-1' } });
    const { stdout } = await run('unshare', words, { env });
    const said = stdout.split('\n').filter((line) => line.includes('add the verb watch'));
    assert.equal(said.length, 1, stdout);
    assert.match(
      said[0] ?? '',
      new RegExp(`system:serviceaccount:${NAMESPACE}:entry may not watch jobs\\.batch in namespace ${NAMESPACE}`),
    );
  });

  test('with watch as well, as documented, it reports nothing', async () => {
    const env = { DEPENDENCY_SERVICE: 'ready', DEPENDENCY_JOBS: 'done', DEPENDENCY_DAEMONSET: 'agent' };
    const started = inPod(DROP_IN, { env, account: 'watcher' });
    const { code, stdout } = await run('unshare', started.words, { env: started.env });
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /may not/);
  });

  test('without an API server it still waits for dependencies outside the API', async () => {
    const env = { PATH: process.env['PATH'], HOME: cluster.directory, DEPENDENCY_SOCKET: '/proc/self' };
    const { code, stdout } = await run(process.execPath, DROP_IN.slice(1), { env });
    assert.equal(code, 0);
    assert.match(stdout, /Dependency Socket \/proc\/self is resolved\./);
  });

  test(
    'the original has the same verdicts except for the listed differences',
    {
      skip: noOriginal ?? false,
    },
    async () => {
      const judge = async (row: Row) => {
        if (row.notThere !== undefined) return;
        const wanted = row.there ?? row.ours;
        const seconds = wanted === 'waits' ? '5' : '60';
        const { words, env } = inPod(['timeout', seconds, ORIGINAL ?? ''], row);
        const { code, stdout, stderr } = await run('unshare', words, { env });
        const verdict: Reaction = code === 0 ? 'resolved' : code === 124 ? 'waits' : `ends with ${code}`;
        cells.set(row.name, 'original', verdict);
        assert.equal(verdict, wanted, `${row.name}: ${stdout}${stderr}`);
      };
      await each(ROWS, judge);
    },
  );
});

/** Runs a limited number at a time, and continues after a failure. */
async function each(rows: readonly Row[], judge: (row: Row) => Promise<void>): Promise<void> {
  const queue = [...rows];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let row = queue.shift(); row !== undefined; row = queue.shift())
      await judge(row).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length > 0)
    throw new AggregateError(failures, failures.map((error) => (error as Error).message).join('\n\n'));
}
