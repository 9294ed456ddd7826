import type { GaleraNode } from '../cluster/galera.ts';
import type { Arena } from './arena.ts';
import type { Contender } from './contender.ts';
import { freezeTree, signal } from './process-tree.ts';

export type FaultName =
  | 'kill'
  | 'release'
  | 'helper-frozen'
  | 'frozen'
  | 'node-killed'
  | 'node-cut-off'
  | 'node-frozen';

/** Undoes a fault, after somebody else has taken over. */
export type Mend = () => Promise<void>;

export interface Fault {
  readonly name: FaultName;
  /** What the holder's helper may end with. */
  readonly codes: readonly number[];
  /** Strikes a holder. */
  readonly strike?: (holder: Contender) => Promise<Mend> | Mend;
  /** Strikes the node that all holders of the round use. */
  readonly strikeNode?: (node: GaleraNode, arena: Arena) => Promise<Mend>;
}

const LOST = 69;
const nothing: Mend = () => Promise.resolve();

export const FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    codes: [137],
    strike({ running }) {
      process.kill(running.pid, 'SIGKILL');
      return nothing;
    },
  },
  { name: 'release', codes: [0] },
  {
    name: 'helper-frozen',
    codes: [LOST],
    strike({ running }) {
      process.kill(running.pid, 'SIGSTOP');
      return () => Promise.resolve(void process.kill(running.pid, 'SIGCONT'));
    },
  },
  {
    name: 'frozen',
    codes: [LOST],
    strike({ running }) {
      const tree = freezeTree(running.pid);
      // The migration before the one that is to stop it.
      return async () => {
        for (const seen of tree.toReversed()) {
          signal(seen, 'SIGCONT');
          await new Promise((resolve) => setTimeout(resolve, THAW_MS));
        }
      };
    },
  },
  {
    name: 'node-killed',
    codes: [LOST],
    strikeNode: (node, arena) => struck(arena, node, node.kill, () => node.start()),
  },
  { name: 'node-cut-off', codes: [LOST], strikeNode: (node, arena) => struck(arena, node, node.isolate, node.heal) },
  {
    name: 'node-frozen',
    codes: [LOST],
    strikeNode: (node, arena) =>
      struck(
        arena,
        node,
        async () => node.freeze(),
        async () => node.thaw(),
      ),
  },
];

/** Between one process of a thawed tree and the next. */
const THAW_MS = 100;

export const NODE_FAULTS = FAULTS.filter(({ strikeNode }) => strikeNode !== undefined);

export function faultOf(name: FaultName): Fault {
  return FAULTS.find((fault) => fault.name === name)!;
}

async function struck(
  arena: Arena,
  node: GaleraNode,
  strike: () => Promise<void>,
  mend: () => Promise<void>,
): Promise<Mend> {
  arena.struck.add(node);
  await strike();
  return async () => {
    await mend();
    await arena.galera.waitWhole();
    arena.struck.delete(node);
  };
}
