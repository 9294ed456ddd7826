import { readFileSync } from 'node:fs';
import type { GaleraNode } from '../../test/cluster/galera.ts';
import { HELPERS } from '../../test/support/helper.ts';
import { start, tied, type Running } from '../../tools/process.ts';
import type { ApiWay } from './api.ts';
import { aliveOf, treeOf, type Seen } from './process-tree.ts';

/** Exit code of a helper that has lost its lock. */
export const LOST = 69;

export interface ContenderPlan {
  /** Also its release: different releases mean different work. */
  readonly name: string;
  /** The preferred node. */
  readonly home: GaleraNode;
  /** Runs instead of kolla-db-sync. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly way: ApiWay;
  /** Its migration finishes once this file exists. */
  readonly gate: string;
  /** Called for each log line. */
  readonly onLine: (contender: Contender, line: LogLine) => void;
}

export interface LogLine {
  readonly msg: string;
  /** The program whose output the line repeats, if any. */
  readonly from?: string;
  readonly token?: number;
}

/** One kolla-db-sync contending for a database. */
export interface Contender extends AsyncDisposable {
  readonly plan: ContenderPlan;
  readonly name: string;
  readonly way: ApiWay;
  readonly running: Running;
  /** Token of its turn; undefined without one. */
  readonly token: number | undefined;
  /** When its migration logged that its first row is committed, by performance.now(). */
  readonly startedAt: number | undefined;
  /** The ports through which its migration has written; the first is the one it started at. */
  readonly ports: ReadonlySet<number>;
  readonly code: number | undefined;
  readonly log: () => string;
  /** The process and all its descendants, including exited ones. */
  readonly family: () => readonly Seen[];
}

/** Starts a contender. */
export async function startContender(plan: ContenderPlan): Promise<Contender> {
  const words = plan.program === undefined ? [HELPERS, 'kolla-db-sync'] : [plan.program];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...plan.env };
  // Tied to this process: otherwise it would outlive a kill and wait for servers that are gone.
  const running = await start(...tied(process.execPath, [...words, ...plan.args]), { env, keepOutput: true });
  const ports = new Set<number>();
  const family = new Map<number, Seen>();
  let [log, rest] = ['', ''];
  let [token, startedAt, code]: (number | undefined)[] = [];
  const contender: Contender = {
    plan,
    name: plan.name,
    way: plan.way,
    running,
    ports,
    get token() {
      return token;
    },
    get startedAt() {
      return startedAt;
    },
    get code() {
      return code;
    },
    log: () => log,
    family() {
      // After its exit another process may have its pid.
      if (code === undefined) for (const seen of treeOf(running.pid)) family.set(seen.pid, seen);
      return [...family.values()];
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
  const hear = (line: LogLine) => {
    token ??= line.token;
    const [, verb, port] = /^(started|writes) through (\d+)$/.exec(line.msg) ?? [];
    if (verb !== undefined && line.from !== undefined) {
      if (verb === 'started') startedAt = performance.now();
      ports.add(Number(port));
    }
    plan.onLine(contender, line);
  };
  running.child.stdout?.resume();
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) hear(JSON.parse(line) as LogLine);
  });
  void running.ended.then((ended) => (code = ended));
  return contender;
}

/** Whether all its processes have exited and its exit code is known. */
export function isGone(contender: Contender): boolean {
  return contender.code !== undefined && aliveOf(contender.family()).length === 0;
}

/** Its remaining processes, for a message. */
export function stillRunning(contender: Contender): string {
  return aliveOf(contender.family())
    .map(({ pid }) => `\n── still there: ${pid} ${commandOf(pid)}`)
    .join('');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '(gone now)';
  }
}
