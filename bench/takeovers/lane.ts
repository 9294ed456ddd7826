import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GaleraNode } from '../../test/cluster/galera.ts';
import { pause } from '../../src/core/backoff.ts';
import type { Arena } from './arena.ts';
import { ACCOUNT_PASSWORD, argsOf, envOf, type LaneOptions } from './command-line.ts';
import { LOST, startContender, type Contender } from './contender.ts';
import { signal, treeOf } from './process-tree.ts';
import { changes, type Changes } from './changes.ts';
import { JOURNAL_TABLES } from './journal.ts';

/** A database and its contenders. */
export interface Lane extends AsyncDisposable {
  readonly arena: Arena;
  readonly options: LaneOptions;
  readonly database: string;
  /** Contenders whose migration has started, in the order of notification. */
  readonly began: readonly Contender[];
  /** Running contenders. */
  readonly contenders: () => readonly Contender[];
  /** Contenders that exited without a turn, latest last: for messages. */
  readonly failed: readonly Contender[];
  readonly changes: Changes;
  /** Lets a contender's migration finish. */
  release(contender: Contender): Promise<void>;
  /** Cuts the API server off from all contenders, including later ones. */
  cutApi(how: 'reset' | 'silent'): void;
  restoreApi(): void;
  /** Stops contenders of that node that may have moved to another: their replacements start there. */
  bringHome(node: GaleraNode): void;
}

const CONTENDERS = 12;
/** Concurrent starts take CPU time from holders of 2 s leases. */
const AT_ONCE = 3;
/** Like a kubelet's backoff: on a busy machine, starts would cost one holder after the other its lease. */
const BACKOFF_MS = 5000;

let lanes = 0;

/** Creates the database, starts all contenders, and replaces those that exit. */
export async function openLane(arena: Arena, options: LaneOptions): Promise<Lane> {
  const { contenders: count = CONTENDERS } = options;
  const name = `lane${++lanes}`;
  const { nodes } = arena.galera;
  const [first] = nodes as [GaleraNode];
  await first.query(`CREATE DATABASE ${name}; CREATE USER ${name}@'%' IDENTIFIED BY '${ACCOUNT_PASSWORD}';
    GRANT ALL PRIVILEGES ON ${name}.* TO ${name}@'%'; USE ${name}; ${JOURNAL_TABLES}`);
  await arena.api.allow(name);
  const began: Contender[] = [];
  const failed: Contender[] = [];
  const entered: Contender[] = [];
  const running = new Set<Contender>();
  const state: { made: number; api?: 'reset' | 'silent' | undefined } = { made: 0 };
  const heard = changes();
  const gateOf = (who: string) => join(arena.directory, `${who}.gate`);

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
        if (/^(?:started|writes) through|^waiting|^running /.test(msg)) heard.tell();
      },
    });
    running.add(contender);
    entered.push(contender);
    if (over.aborted) await contender.running.stop(0);
    return contender;
  };
  /** Runs contenders of a node one after the other, while the lane is open. */
  const keep = async (home: GaleraNode): Promise<void> => {
    do {
      const contender = await enter(home);
      await contender.running.ended;
      running.delete(contender);
      if (contender.startedAt === undefined) failed.push(contender);
      heard.tell();
      await contender.way[Symbol.asyncDispose]();
      if (contender.code === LOST && !over.aborted) await pause(BACKOFF_MS, over).catch(() => {});
      // A program without a lock would exit repeatedly.
    } while (!over.aborted && options.program === undefined);
  };
  const closing = new AbortController();
  const over = AbortSignal.any([closing.signal, arena.over]);
  /** Failures to start after the arena is closed are expected. */
  const unlessOver = (error: unknown) => {
    if (!over.aborted) throw error;
  };
  const slots: Promise<void>[] = [];
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    closing.abort();
    await Promise.all([...running].map((one) => one.running.stop(0)));
    await Promise.all(slots);
    // A migration frozen together with its guard would be left over.
    for (const one of began) for (const seen of one.family()) signal(seen, 'SIGKILL');
  });
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
    restoreApi() {
      state.api = undefined;
      for (const { way } of running) way.fix();
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
  const contends = (one: Contender) => one.code !== undefined || /waiting|running /.test(one.log());
  while (slots.length < count) {
    slots.push(keep(nodes[slots.length % nodes.length]!).catch(unlessOver));
    if (slots.length % AT_ONCE > 0) continue;
    await heard.until(`the contenders of ${name} to contend`, () => entered.filter(contends).length >= slots.length);
  }
  const moved = stack.move();
  return lane;
}

/** The contender whose migration is running; undefined if there is none. */
export function holderOf({ began, arena }: Lane): Contender | undefined {
  const last = began.at(-1);
  if (last === undefined || last.code !== undefined || existsSync(last.plan.gate)) return undefined;
  return arena.sound().every(({ port }) => last.ports.has(port)) ? last : undefined;
}
