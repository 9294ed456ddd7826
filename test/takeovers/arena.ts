import { startGalera, type Galera, type GaleraNode, type GaleraOptions } from '../cluster/galera.ts';
import { privateFolder } from '../support/folder.ts';

export interface ArenaOptions {
  readonly timing?: GaleraOptions['timing'];
}

/** Where lanes are: the cluster, and which of its nodes are struck. */
export interface Arena extends AsyncDisposable {
  readonly galera: Galera;
  readonly folder: string;
  /** Nodes that a fault has taken away. */
  readonly struck: Set<GaleraNode>;
  /** Those that can be used. */
  readonly sound: () => readonly GaleraNode[];
}

/** Starts a cluster for contests. */
export async function openArena({ timing = 'quick' }: ArenaOptions = {}): Promise<Arena> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await privateFolder('arena'));
  const galera = stack.use(await startGalera({ timing }));
  const struck = new Set<GaleraNode>();
  const moved = stack.move();
  return {
    galera,
    folder: path,
    struck,
    sound: () => galera.nodes.filter((node) => !struck.has(node)),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}
