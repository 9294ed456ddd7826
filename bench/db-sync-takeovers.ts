import { setTimeout as sleep } from 'node:timers/promises';
import type { GaleraNode } from '../test/cluster/galera.ts';
import { start, type Running } from '../tools/process.ts';
import { until } from '../test/support/until.ts';
import type { Arena } from './takeovers/index.ts';
import { DB_SYNC } from './db-sync-binary.ts';

export interface TakeoverPlan {
  readonly leaseMs: number;
  readonly lossMs: number;
  readonly samples: number;
}

/** One contender. */
interface Contender extends AsyncDisposable {
  readonly home: GaleraNode;
  readonly running: Running;
  /** Start of its command, by performance.now(). */
  readonly begun: Promise<number>;
  said(): string;
}

const PASSWORD = 'secret-of-the-service';
const BEGINS = 'the command begins';
/** Prints when it starts, and never exits. */
const COMMAND = ['sh', '-c', `echo ${BEGINS}; exec sleep infinity`];
/** Maximum delay of a kill: delays are spread evenly, so that kills hit every moment between two renewals. */
const SPREAD_MS = 1000;

let databases = 0;

/**
 * Repeatedly kills the holder while a contender waits on every other node.
 * @returns milliseconds from the kill to the start of the successor's command
 * @throws Error if no migrator takes over, or one exits by itself
 */
export async function takeovers(arena: Arena, { leaseMs, lossMs, samples }: TakeoverPlan): Promise<number[]> {
  await using stack = new AsyncDisposableStack();
  const database = await databaseIn(arena);
  const times = ['--lease', `${leaseMs}ms`, '--lock-loss', `${lossMs}ms`];
  const enter = async (home: GaleraNode) => stack.use(await startContender(arena, database, home, times));
  let contenders: Contender[] = [];
  for (const node of arena.galera.nodes) contenders.push(await enter(node));
  const taken: number[] = [];
  let holder = await firstToBegin(contenders);
  while (taken.length < samples) {
    const others = contenders.filter((one) => one !== holder.contender);
    await Promise.all(others.map(waits));
    await sleep((taken.length / samples) * SPREAD_MS);
    const diedAt = performance.now();
    holder.contender.running.child.kill('SIGKILL');
    const { home } = holder.contender;
    holder = await firstToBegin(others);
    taken.push(holder.at - diedAt);
    contenders = [...others, await enter(home)];
  }
  return taken;
}

async function databaseIn({ galera, api }: Arena): Promise<string> {
  const name = `bench${++databases}`;
  await galera.nodes[0]!.query(`CREATE DATABASE ${name}; CREATE USER ${name}@'%' IDENTIFIED BY '${PASSWORD}';
    GRANT ALL PRIVILEGES ON ${name}.* TO ${name}@'%'`);
  await api.allow(name);
  return name;
}

async function firstToBegin(contenders: readonly Contender[]): Promise<{ contender: Contender; at: number }> {
  return await Promise.race(contenders.map(async (contender) => ({ contender, at: await contender.begun })));
}

async function waits(contender: Contender): Promise<void> {
  const isWaiting = async () => contender.said().includes('"msg":"waiting') || undefined;
  await until('the others to wait for the lock', isWaiting);
}

let contenders = 0;

async function startContender(
  { galera, api }: Arena,
  database: string,
  home: GaleraNode,
  times: readonly string[],
): Promise<Contender> {
  const way = await api.way(`bench-${++contenders}`);
  const hosts = [home, ...galera.nodes.filter((node) => node !== home)];
  const at = hosts.flatMap(({ host, port }) => ['--host', `${host}:${port}`]);
  const lock = ['--lock', 'lease', '--lease-name', database, '--admin-user', 'root', '--log-format', 'json'];
  const env = {
    PATH: process.env['PATH'],
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://${database}:${PASSWORD}@${home.host}:${home.port}/${database}`,
    KOLLA_DB_SYNC_ADMIN_PASSWORD: galera.rootPassword,
    KUBECONFIG: way.kubeconfig,
  };
  const args = ['keystone', ...at, ...times, ...lock, '--', ...COMMAND];
  const running = await start(DB_SYNC, args, { env, keepOutput: true });
  let said = '';
  const begun = Promise.withResolvers<number>();
  running.child.stdout?.resume();
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes(`"msg":"${BEGINS}"`)) begun.resolve(performance.now());
  });
  void running.ended.then((code) => begun.reject(new Error(`a contender ended with ${code}: ${said.slice(-2000)}`)));
  // Contenders that have started or are stopped at the end are not awaited.
  begun.promise.catch(() => {});
  return {
    home,
    running,
    begun: begun.promise,
    said: () => said,
    async [Symbol.asyncDispose]() {
      await running.stop(0);
      await way[Symbol.asyncDispose]();
    },
  };
}
