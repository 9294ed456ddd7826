import { setTimeout as sleep } from 'node:timers/promises';
import type { GaleraNode } from '../../test/cluster/galera.ts';
import { shuffled } from '../../test/support/random.ts';
import { LOST, type Contender } from './contender.ts';
import type { Lane } from './lane.ts';
import { freezeTree, signal, treeOf } from './process-tree.ts';

/** Undoes a fault, after another migrator has taken over. */
export type Fix = () => Promise<void>;

/** Targets of a fault. */
export interface Struck {
  readonly lane: Lane;
  readonly holder: Contender;
  readonly random: () => number;
}

export interface Fault {
  readonly name: string;
  /** Allowed exit codes of the holder's helper. */
  readonly codes: readonly number[];
  /** Injects the fault into a holder. */
  readonly strike?: (struck: Struck) => Promise<Fix>;
  /** Injects the fault into the node that all holders of a round use. */
  readonly strikeNode?: (node: GaleraNode) => Promise<Fix>;
}

/** Pause between thawing two processes of a tree. */
const THAW_MS = 100;
/** Maximum downtime of an API server after the holder has exited. */
const DOWN_MS = 2000;

async function nothing(): Promise<void> {}

/** Signals a process that may have exited meanwhile. */
function send(pid: number, name: NodeJS.Signals): void {
  for (const seen of treeOf(pid).slice(0, 1)) signal(seen, name);
}

export const KILL: Fault = {
  name: 'kill',
  codes: [137],
  async strike({ holder: { running } }) {
    send(running.pid, 'SIGKILL');
    return nothing;
  },
};

/** Graceful exit. */
export const RELEASE: Fault = {
  name: 'release',
  codes: [0],
  async strike({ lane, holder }) {
    await lane.release(holder);
    return nothing;
  },
};

/** The migration of the frozen helper keeps running. */
const HELPER_FROZEN: Fault = {
  name: 'helper-frozen',
  codes: [LOST],
  async strike({ holder: { running } }) {
    send(running.pid, 'SIGSTOP');
    return async () => send(running.pid, 'SIGCONT');
  },
};

/** Thawed process by process: the migration may resume before the processes that must stop it. */
export const FROZEN: Fault = {
  name: 'frozen',
  codes: [LOST],
  async strike({ holder: { running }, random }) {
    const tree = freezeTree(running.pid);
    return async () => {
      for (const seen of shuffled(random, tree)) {
        signal(seen, 'SIGCONT');
        await sleep(THAW_MS);
      }
    };
  },
};

/** Only the holder loses its connection to the API server. */
const API_CUT_OFF: Fault = {
  name: 'api-server-cut-off',
  codes: [LOST],
  async strike({ holder: { way }, random }) {
    way.cut(random() < 0.5 ? 'reset' : 'silent');
    return async () => way.fix();
  },
};

/** The API server is down: the holder must exit, and no other may start before it is back. */
const API_DOWN: Fault = {
  name: 'api-server-down',
  codes: [LOST],
  async strike({ lane, holder, random }) {
    lane.cutApi(random() < 0.5 ? 'reset' : 'silent');
    await lane.changes.until(`${holder.name} to end without an API server`, () => holder.code !== undefined);
    await sleep(random() * DOWN_MS);
    if (lane.began.at(-1) !== holder) throw new Error(`${lane.began.at(-1)?.name} began without an API server`);
    lane.restoreApi();
    return nothing;
  },
};

export const HOLDER_FAULTS: readonly Fault[] = [KILL, HELPER_FROZEN, FROZEN, API_CUT_OFF, API_DOWN];

export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'node-killed',
    codes: [LOST],
    async strikeNode(node) {
      await node.kill();
      return () => node.start();
    },
  },
  {
    name: 'node-cut-off',
    codes: [LOST],
    async strikeNode(node) {
      await node.isolate();
      return () => node.heal();
    },
  },
  {
    name: 'node-frozen',
    codes: [LOST],
    async strikeNode(node) {
      node.freeze();
      return async () => node.thaw();
    },
  },
];
