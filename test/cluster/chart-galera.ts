/**
 * The nodes of the chart mariadb as local processes: its own files, with the paths of this machine. Each node has a loopback
 * address of its own, and so the chart's ports.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RowDataPacket } from 'mysql2/promise';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, signalIfThere, start, tailOf, tied, type Running } from '../../tools/process.ts';
import { rendering, sourcesOf, textAt } from '../charts/support.ts';
import { until } from '../support/until.ts';
import type { GaleraPrograms } from './galera-programs.ts';
import { queryAsRoot } from './mariadb.ts';

export interface ChartNode {
  readonly name: string;
  readonly host: string;
  readonly data: string;
  readonly defaultsFile: string;
  /** The chart's healthcheck.cnf. */
  readonly healthcheck: string;
  /** Runs one statement as root over the socket. */
  query(sql: string, values?: readonly (string | number | null)[]): Promise<RowDataPacket[]>;
  /** Runs files/start.sh, and returns when the node is Synced. */
  start(programs: GaleraPrograms): Promise<void>;
  /** Runs files/drain.sh, as before SIGTERM. */
  drain(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** What its containers have printed so far. */
  log(): string;
}

const PORTS_FROM = 20_000;
const ROOT = 'of-database-password';

/** Not started yet. */
export async function chartGalera(count = 3): Promise<AsyncDisposable & { readonly nodes: readonly ChartNode[] }> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('chart'));
  const texts = await filesOfChart(count);
  // No other process on this machine has this port, and so this network.
  const own = (await freePort()) - PORTS_FROM;
  const addressOf = (index: number) => `127.${101 + Math.floor(own / 100)}.${own % 100}.${index + 1}`;
  const nodes: ChartNode[] = [];
  for (let index = 0; index < count; index++) {
    const node = await chartNode(directory.path, index, texts, addressOf);
    stack.defer(() => node.kill());
    nodes.push(node);
  }
  const kept = stack.move();
  return { nodes, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function filesOfChart(replicas: number): Promise<Record<string, string>> {
  await using chart = await rendering('mariadb');
  const settings = {
    transfer: 'rsync',
    mysqld: { innodb_buffer_pool_size: '32M', max_connections: 200 },
    provider: { 'gcache.size': '16M' },
  };
  const rendered = await chart.render({ settings, workloads: { mariadb: { replicas, preStopSeconds: 1 } } });
  const sources = sourcesOf(rendered.one('StatefulSet', 'mariadb'));
  return Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, textAt(rendered, source)]));
}

async function chartNode(
  base: string,
  index: number,
  texts: Readonly<Record<string, string>>,
  addressOf: (index: number) => string,
): Promise<ChartNode> {
  const [name, host] = [`mariadb-${index}`, addressOf(index)];
  const directory = join(base, String(index));
  const at = (file: string) => join(directory, file);
  await mkdir(at('data'), { recursive: true });
  const here = (text: string) =>
    text
      .replaceAll('/var/lib/mysql', at('data'))
      .replaceAll(/\/etc\/mysql|\/run\/mysqld|\/var\/log\/kolla\/mariadb/g, directory)
      .replaceAll(/mariadb-(\d)\.mariadb-nodes[\w.-]*/g, (_, other: string) => addressOf(Number(other)))
      .replace('"$name-$index.$domain"', `"${addressOf(0).replace(/1$/, '')}$((index + 1))"`);
  for (const file of ['start.sh', 'drain.sh']) await writeFile(at(file), here(texts[file] ?? ''));
  // The account logs in by its uid, which is mysql's in the container.
  await writeFile(at('init.sql'), here(texts['init.sql'] ?? '').replace('VIA unix_socket', "BY ''"));
  await writeFile(at('healthcheck.cnf'), here(texts['healthcheck.cnf'] ?? '').replace('127.0.0.1', host));
  const socket = at('mysqld.sock');
  let running: Running | undefined;
  let env: NodeJS.ProcessEnv = {};
  const query: ChartNode['query'] = (sql, values) => queryAsRoot({ socket, rootPassword: ROOT }, sql, values);

  const writeConfiguration = async ({ base: programs, provider }: GaleraPrograms) => {
    const own = `gmcast.listen_addr=tcp://${host}:4567;ist.recv_bind=${host}:4568;`;
    const text = here(texts['my.cnf'] ?? '')
      .replace(/^bind_address = .*$/m, `bind_address = ${host}\nbasedir = ${programs}\nuser = root`)
      .replace(/^wsrep_provider = .*$/m, `wsrep_provider = ${provider}`)
      .replace('wsrep_provider_options = "', `wsrep_provider_options = "base_host=${host};${own}`);
    await writeFile(at('my.cnf'), text);
  };
  return {
    name,
    host,
    data: at('data'),
    defaultsFile: at('my.cnf'),
    healthcheck: at('healthcheck.cnf'),
    query,
    async start(programs) {
      await writeConfiguration(programs);
      // The image's has its programs below /usr.
      const install = `#!/bin/bash\nexec ${programs.installDb} "$1" --basedir=${programs.base} "\${@:2}"\n`;
      await mkdir(at('bin'), { recursive: true });
      await writeFile(at('bin/mariadb-install-db'), install, { mode: 0o755 });
      const own = [at('bin'), join(programs.base, 'sbin'), join(programs.base, 'bin')];
      const path = [...own, programs.env['PATH']].join(':');
      env = { ...programs.env, PATH: path, TMPDIR: directory, POD_NAME: name, POD_IP: host };
      const started = await start(...tied('bash', [at('start.sh')]), { cwd: directory, env, logFile: at('out.log') });
      running = started;
      let ended: number | undefined;
      void started.ended.then((code) => (ended = code));
      await until(`${name} to be synced`, async (saw) => {
        if (ended !== undefined)
          throw new Error(`${name} exited with ${ended}: ${tailOf(at('out.log'))}${tailOf(at('mariadb.log'), 3000)}`);
        const rows = await query("SHOW STATUS LIKE 'wsrep_local_state_comment'").catch(() => []);
        saw(rows[0]?.['Value'] ?? tailOf(at('mariadb.log'), 500));
        return rows[0]?.['Value'] === 'Synced' || undefined;
      });
    },
    async drain() {
      // The image's client reads this file by itself.
      const script = (await must('cat', [at('drain.sh')])).replace(
        'mariadb --user=mysql',
        `mariadb --defaults-file=${at('my.cnf')} --user=mysql`,
      );
      await must('bash', ['-c', script], { env });
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    async kill() {
      if (running !== undefined) signalIfThere(-running.pid, 'SIGKILL');
      await running?.ended;
      running = undefined;
    },
    log: () => tailOf(at('out.log'), 100_000),
  };
}
