import { join as inDirectory } from 'node:path';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { run, start, tailOf, tied, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { galeraRules } from './galera-data.ts';
import type { GaleraConfiguration } from './galera-configuration.ts';
import type { GaleraPrograms } from './galera-programs.ts';
import { accounts, queryAsRoot } from './mariadb.ts';
import { copyData, serverIdentity } from './mariadb-data.ts';

export interface GaleraNode {
  /** The node's name: `n1`. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly socket: string;
  readonly rootPassword: string;
  readonly errorLog: string;
  /** Pid of the server's process; 0 if there is none. */
  readonly pid: number;
  /** Runs one statement as root over the socket, on a separate connection and without waiting. `?` are placeholders. */
  query(sql: string, values?: readonly (string | number | null)[]): Promise<RowDataPacket[]>;
  /** A persistent connection of root over the socket. */
  session(): Promise<Connection & AsyncDisposable>;
  /** The value of a status variable, such as `wsrep_local_state_comment`. */
  status(name: string): Promise<string>;
  /** Resolves when the node is Synced, in a Primary component and ready. Just after a thaw its state is outdated. */
  waitSynced(): Promise<void>;
  /**
   * Restarts the node after stop or kill: it joins the others with its data. `founds` bootstraps a new cluster instead.
   */
  start(founds?: boolean): Promise<void>;
  /** Shuts the node down cleanly, so that the others know at once. */
  stop(): Promise<void>;
  /** Kills the node with SIGKILL; the others suspect it first. */
  kill(): Promise<void>;
  /** Deletes the data of a stopped node, so that its next start needs a full state transfer. */
  loseData(): Promise<void>;
  /** Sends SIGSTOP: the node accepts connections and never sends a greeting. */
  freeze(): void;
  thaw(): void;
  /** Partitions the node from the other nodes, but not from clients, so that it loses its quorum. Not with a my.cnf. */
  isolate(): Promise<void>;
  heal(): Promise<void>;
  /** As a donor, the node sends nothing and stays a donor until the returned function is called. */
  holdTransfers(): Promise<() => Promise<void>>;
}

export interface NodePlan {
  readonly name: string;
  readonly programs: GaleraPrograms;
  /** If undefined, there is no option file, and rsync transfers the state. */
  readonly configuration: GaleraConfiguration | undefined;
  /** Directory of its data and logs. Its path is short, because it contains a socket. */
  readonly directory: string;
  readonly foundedData: string;
  readonly rootPassword: string;
  readonly cluster: string;
  readonly ports: NodePorts;
  /** Group ports of all nodes, including its own. */
  readonly groupPorts: readonly number[];
  /** Options for the group communication: `evs.suspect_timeout=PT2S`. */
  readonly timing: readonly string[];
}

export interface NodePorts {
  readonly sql: number;
  readonly group: number;
  readonly incremental: number;
  readonly snapshot: number;
}

const HOST = '127.0.0.1';
const JOINS = 3;
const USABLE = { wsrep_local_state_comment: 'Synced', wsrep_cluster_status: 'Primary', wsrep_ready: 'ON' };

/**
 * Creates a node's directory; start() starts it.
 * @param others all other nodes of the cluster
 */
export async function galeraNode(plan: NodePlan, others: () => readonly GaleraNode[]): Promise<GaleraNode> {
  const { name, programs, rootPassword, ports } = plan;
  const directory = inDirectory(plan.directory, name);
  const at = (file: string) => inDirectory(directory, file);
  await mkdir(directory);
  await copyData(plan.foundedData, at('data'));
  // An init file's statements are not replicated, so all nodes have the same file.
  await writeFile(at('init.sql'), accounts(rootPassword), { mode: 0o600 });
  await mkdir(at('bin'));
  await writeFile(at('bin/rsync'), heldRsync(at('held'), at('bin')), { mode: 0o755 });
  const env = { ...programs.env, PATH: `${at('bin')}:${programs.env['PATH']}`, TMPDIR: directory };
  const [socket, errorLog] = [at('s'), at('error.log')];
  const identity = serverIdentity(programs, at('data'), plan.configuration?.args);
  let running: Running | undefined;
  let isBorn = false;

  const query: GaleraNode['query'] = (sql, values) => queryAsRoot({ socket, rootPassword }, sql, values);
  const status = async (variable: string) => {
    const rows = await query('SHOW GLOBAL STATUS WHERE Variable_name = ?', [variable]);
    return String(rows[0]?.['Value'] ?? '');
  };
  const setOption = async (option: string) => void (await query(`SET GLOBAL wsrep_provider_options = '${option}'`));
  const signal = (word: NodeJS.Signals) => {
    if (running?.child.exitCode === null && running.child.signalCode === null) process.kill(-running.pid, word);
  };
  const join = async (founds: boolean): Promise<void> => {
    const position = isBorn ? await recovered(programs, [...identity, ...nodeOptions(plan, directory)], env) : [];
    isBorn = true;
    await writeFile(errorLog, '');
    const founding = founds ? ['--wsrep-new-cluster'] : [];
    const files = [`--log-error=${errorLog}`, `--init-file=${at('init.sql')}`];
    const args = [...identity, ...nodeOptions(plan, directory), ...files, ...position, ...founding];
    const started = await start(...tied(programs.server, args), { cwd: directory, env, logFile: at('out.log') });
    running = started;
    let ended: number | undefined;
    void started.ended.then((code) => (ended = code));
    await until(`${name} to be ready`, async () => {
      const log = tailOf(errorLog, 200_000);
      if (ended !== undefined)
        throw new Error(`${name} exited with ${ended}: ${tailOf(at('out.log'))}${log.slice(-3000)}`);
      return log.includes('ready for connections') ? true : undefined;
    });
    await node.waitSynced();
  };
  const node: GaleraNode = {
    name,
    host: HOST,
    port: ports.sql,
    socket,
    rootPassword,
    errorLog,
    get pid() {
      return running?.pid ?? 0;
    },
    query,
    async session() {
      const connection = await createConnection({ socketPath: socket, user: 'root', password: rootPassword });
      return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.end() });
    },
    status,
    async waitSynced() {
      await until(`${name} to be synced`, async () => {
        const rows = await query("SHOW GLOBAL STATUS LIKE 'wsrep%'").catch(() => []);
        const seen = Object.fromEntries(rows.map((row) => [row['Variable_name'], row['Value']]));
        return Object.entries(USABLE).every(([key, value]) => seen[key] === value) ? true : undefined;
      });
    },
    async start(founds = false) {
      await forgotten(node, others());
      for (let attempt = 1; ; attempt++) {
        try {
          await join(founds);
          return;
        } catch (error) {
          // A donor may be busy or missing; a service manager would restart the node.
          if (founds || attempt === JOINS) throw error;
        }
      }
    },
    async stop() {
      signal('SIGCONT');
      await running?.stop();
      running = undefined;
    },
    async kill() {
      signal('SIGKILL');
      await running?.ended;
      running = undefined;
    },
    async loseData() {
      await rm(at('data'), { recursive: true });
      await mkdir(at('data'), { mode: 0o750 });
      isBorn = false;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    isolate: () => setOption('gmcast.isolate=1'),
    heal: () => setOption('gmcast.isolate=0'),
    async holdTransfers() {
      await writeFile(at('held'), '');
      return () => rm(at('held'), { force: true });
    },
  };
  return node;
}

/** A small state is transferred faster than a busy machine can poll: the sending rsync waits while a file exists. */
function heldRsync(file: string, own: string): string {
  return `#!/bin/sh
while [ -e '${file}' ]; do case " $* " in *' --daemon '*) break ;; esac; sleep 0.05; done
PATH=\${PATH#*'${own}:'}
exec rsync "$@"
`;
}

/** Resolves when the others have evicted the node: a node that returns earlier makes them lose their quorum. */
async function forgotten(node: GaleraNode, others: readonly GaleraNode[]): Promise<void> {
  const alive = others.filter(({ pid }) => pid !== 0);
  await until(`the others to evict ${node.name}`, async () => {
    const lists = await Promise.all(alive.map((other) => other.status('wsrep_incoming_addresses').catch(() => '')));
    return lists.some((list) => list.includes(`${node.host}:${node.port}`)) ? undefined : true;
  });
}

function nodeOptions(plan: NodePlan, directory: string): string[] {
  const { name, programs, configuration, cluster, ports, groupPorts, timing, rootPassword } = plan;
  // The configuration has the buffer pool's size: mariabackup would receive the command line's option and reject it.
  const rules = galeraRules(programs).filter(
    (rule) => configuration === undefined || !rule.startsWith('--innodb-buffer-pool-size'),
  );
  const provider = [
    `base_host=${HOST}`,
    `base_port=${ports.group}`,
    `gmcast.listen_addr=tcp://${HOST}:${ports.group}`,
    `ist.recv_addr=${HOST}:${ports.incremental}`,
    'gcache.size=16M',
    'pc.recovery=false',
    ...timing,
    ...(configuration?.provider ?? []),
  ];
  // TLS without a certificate costs a new key at each start. From 11.4 on a plugin has Galera's options as variables, but not gmcast.isolate, and rejects wsrep_provider_options.
  const own = ['--wsrep-sst-method=rsync', '--loose-plugin-wsrep-provider=OFF', '--skip-ssl'];
  const transfer = configuration === undefined ? own : [`--wsrep-sst-auth=root:${rootPassword}`];
  return [
    ...rules,
    `--bind-address=${HOST}`,
    `--port=${ports.sql}`,
    `--socket=${inDirectory(directory, 's')}`,
    `--pid-file=${inDirectory(directory, 'pid')}`,
    `--server-id=${name.replace(/\D/g, '')}`,
    `--wsrep-cluster-name=${cluster}`,
    `--wsrep-cluster-address=gcomm://${groupPorts.map((port) => `${HOST}:${port}`).join(',')}`,
    `--wsrep-node-name=${name}`,
    `--wsrep-node-address=${HOST}:${ports.group}`,
    `--wsrep-node-incoming-address=${HOST}:${ports.sql}`,
    ...transfer,
    `--wsrep-sst-receive-address=${HOST}:${ports.snapshot}`,
    `--wsrep-provider-options=${provider.join(';')}`,
  ];
}

/** The node's position after a kill; without it the other nodes would have to send all data. */
async function recovered(programs: GaleraPrograms, args: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const { stdout, stderr } = await run(programs.server, [...args, '--wsrep-recover'], { env });
  const [, position] = /Recovered position:? ([-\w]+:-?\d+)/.exec(stdout + stderr) ?? [];
  return position === undefined ? [] : [`--wsrep-start-position=${position}`];
}
