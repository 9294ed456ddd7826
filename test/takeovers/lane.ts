import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GaleraNode } from '../cluster/galera.ts';
import type { Arena } from './arena.ts';
import { MIGRATION, startContender, type Contender } from './contender.ts';
import { signal, treeOf } from './process-tree.ts';
import { changes, type Changes } from './changes.ts';
import { JOURNAL_TABLES } from './journal.ts';

export interface LaneOptions {
  readonly contenders?: number;
  /** Instead of kolla-db-sync: a file with the same interface. */
  readonly program?: string;
  readonly leaseMs: number;
  readonly lossMs: number;
}

/** A database and those that contend for it. */
export interface Lane extends AsyncDisposable {
  readonly arena: Arena;
  readonly options: LaneOptions;
  readonly database: string;
  /** Those whose migration began, in the order in which we heard of it. */
  readonly began: readonly Contender[];
  /** Those that run now. */
  readonly contenders: () => readonly Contender[];
  /** Those that ended and had no turn, the latest last: for messages. */
  readonly failed: readonly Contender[];
  readonly changes: Changes;
  /** Lets a contender's migration come to its end. */
  release(contender: Contender): Promise<void>;
  /** Takes the API server from all contenders, also from those that come. */
  cutApi(how: 'reset' | 'silent'): void;
  mendApi(): void;
  /** Ends those whose home is that node and which may have left it: those that replace them begin there. */
  bringHome(node: GaleraNode): void;
}

const PASSWORD = 'secret-of-the-service';
const CONTENDERS = 12;
/** Processes that start at once take the machine from those that hold leases of 2 s. */
const AT_ONCE = 2;

let lanes = 0;

/** Makes the database, starts all contenders, and replaces those that end. */
export async function openLane(arena: Arena, options: LaneOptions): Promise<Lane> {
  const { contenders: count = CONTENDERS } = options;
  const name = `lane${++lanes}`;
  const { nodes } = arena.galera;
  const [first] = nodes as [GaleraNode];
  await first.query(`CREATE DATABASE ${name}; CREATE USER ${name}@'%' IDENTIFIED BY '${PASSWORD}';
    GRANT ALL PRIVILEGES ON ${name}.* TO ${name}@'%'; USE ${name}; ${JOURNAL_TABLES}`);
  await arena.api.allow(name);
  const began: Contender[] = [];
  const failed: Contender[] = [];
  const running = new Set<Contender>();
  const state: { closed: boolean; made: number; api?: 'reset' | 'silent' | undefined } = { closed: false, made: 0 };
  const heard = changes();
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    state.closed = true;
    await Promise.all([...running].map((one) => one.running.stop(0)));
  });
  const gateOf = (who: string) => join(arena.folder, `${who}.gate`);

  const enter = async (home: GaleraNode): Promise<Contender> => {
    const who = `${name}-c${++state.made}`;
    const way = await arena.api.way(who);
    if (state.api !== undefined) way.cut(state.api);
    const contender = await startContender({
      name: who,
      home,
      ...(options.program === undefined ? {} : { program: options.program }),
      args: argsOf(options, name, who, [home, ...nodes.filter((node) => node !== home)]),
      env: envOf(arena, name, { who, gate: gateOf(who), kubeconfig: way.kubeconfig }),
      way,
      gate: gateOf(who),
      onLine(one, { msg }) {
        if (msg.startsWith('started through')) began.push(one);
        if (/^(?:started|writes) through|^waiting/.test(msg)) heard.tell();
      },
    });
    running.add(contender);
    void replaced(contender);
    return contender;
  };
  const replaced = async (contender: Contender): Promise<void> => {
    await contender.running.ended;
    running.delete(contender);
    if (contender.startedAt === undefined) failed.push(contender);
    heard.tell();
    await contender.way[Symbol.asyncDispose]();
    // One without a lock would end again and again.
    if (!state.closed && options.program === undefined) await enter(contender.plan.home);
  };
  const lane: Lane = {
    arena,
    options,
    database: name,
    began,
    failed,
    contenders: () => [...running],
    changes: heard,
    release: ({ plan }) => writeFile(plan.gate, ''),
    cutApi(how) {
      state.api = how;
      for (const { way } of running) way.cut(how);
    },
    mendApi() {
      state.api = undefined;
      for (const { way } of running) way.mend();
    },
    bringHome(node) {
      for (const {
        plan,
        running: { pid },
        startedAt,
      } of running) {
        if (plan.home === node && startedAt === undefined)
          for (const seen of treeOf(pid).slice(0, 1)) signal(seen, 'SIGTERM');
      }
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
  for (let index = 0; index < count; index += AT_ONCE) {
    const homes = Array.from(
      { length: Math.min(AT_ONCE, count - index) },
      (_, i) => nodes[(index + i) % nodes.length]!,
    );
    const batch = await Promise.all(homes.map(enter));
    const contends = (one: Contender) => one.code !== undefined || /waiting|running /.test(one.log());
    await heard.until(`the contenders of ${name} to contend`, () => batch.every(contends));
  }
  const moved = stack.move();
  return lane;
}

function argsOf({ leaseMs, lossMs }: LaneOptions, name: string, who: string, nodes: readonly GaleraNode[]): string[] {
  const hosts = nodes.flatMap(({ host, port }) => ['--host', `${host}:${port}`]);
  const times = ['--lease', `${leaseMs}ms`, '--lock-loss', `${lossMs}ms`];
  const lock = ['--lock', 'lease', '--lease-name', name, '--admin-user', 'root'];
  return ['keystone', ...hosts, ...times, ...lock, '--release', who, '--', process.execPath, MIGRATION];
}

function envOf(
  { galera }: Arena,
  database: string,
  { who, gate, kubeconfig }: { who: string; gate: string; kubeconfig: string },
): NodeJS.ProcessEnv {
  const [first] = galera.nodes as [GaleraNode];
  return {
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://${database}:${PASSWORD}@${first.host}:${first.port}/${database}`,
    KOLLA_DB_SYNC_ADMIN_PASSWORD: galera.rootPassword,
    KUBECONFIG: kubeconfig,
    KP_WHO: who,
    KP_PORTS: galera.nodes.map(({ port }) => port).join(),
    KP_GATE: gate,
  };
}

/** The contender whose migration is at work now; undefined while there is none. */
export function holderOf({ began, arena }: Lane): Contender | undefined {
  const last = began.at(-1);
  if (last === undefined || last.code !== undefined || existsSync(last.plan.gate)) return undefined;
  return arena.sound().every(({ port }) => last.ports.has(port)) ? last : undefined;
}
