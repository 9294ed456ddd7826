import { setTimeout as sleep } from 'node:timers/promises';
import type { GaleraNode } from '../../test/cluster/galera.ts';
import { shuffled } from '../../test/support/random.ts';
import { LOST, type Contender } from './contender.ts';
import type { Lane } from './lane.ts';
import { freezeTree, signal, treeOf } from './process-tree.ts';

/** Undoes a fault, after another migrator has taken over. */
export type Fix = () => Promise<void>;

/** What a fault may use. */
export interface Struck {
  readonly lane: Lane;
  readonly holder: Contender;
  readonly random: () => number;
}

export interface Fault {
  readonly name: string;
  /** What the holder's helper may end with. */
  readonly codes: readonly number[];
  /** Strikes a holder. */
  readonly strike?: (struck: Struck) => Promise<Fix>;
  /** Strikes the node that all holders of a round use. */
  readonly strikeNode?: (node: GaleraNode) => Promise<Fix>;
}

/** Between one process of a thawed tree and the next. */
const THAW_MS = 100;
/** The longest that an API server is gone after the holder has ended. */
const DOWN_MS = 2000;

async function nothing(): Promise<void> {}

/** To a process that may have ended just now. */
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

/** It ends well. */
export const RELEASE: Fault = {
  name: 'release',
  codes: [0],
  async strike({ lane, holder }) {
    await lane.release(holder);
    return nothing;
  },
};

/** Its migration runs on. */
const HELPER_FROZEN: Fault = {
  name: 'helper-frozen',
  codes: [LOST],
  async strike({ holder: { running } }) {
    send(running.pid, 'SIGSTOP');
    return async () => send(running.pid, 'SIGCONT');
  },
};

/** Thawed one process after the other: the migration may be awake before those that are to stop it. */
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

/** The holder alone has no API server any more. */
const API_CUT_OFF: Fault = {
  name: 'api-server-cut-off',
  codes: [LOST],
  async strike({ holder: { way }, random }) {
    way.cut(random() < 0.5 ? 'reset' : 'silent');
    return async () => way.fix();
  },
};

/** No client reaches it: the holder must end, and no other may start before it is back. */
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
