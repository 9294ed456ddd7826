import { startGalera, type Galera, type GaleraNode, type GaleraOptions } from '../../test/cluster/galera.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { startApi, type Api } from './api.ts';

/** Where lanes are: the cluster, which of its nodes are struck, and the API server. */
export interface Arena extends AsyncDisposable {
  readonly galera: Galera;
  readonly api: Api;
  readonly directory: string;
  /** Aborted when it closes. */
  readonly over: AbortSignal;
  /** Nodes that a fault has taken away. */
  readonly struck: Set<GaleraNode>;
  /** Those that can be used. */
  readonly sound: () => readonly GaleraNode[];
}

/** @param timing of the cluster: how soon it gives a silent node up */
export async function openArena(timing: GaleraOptions['timing'] = 'quick'): Promise<Arena> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await privateDirectory('arena', inMemory()));
  const galera = stack.use(await startGalera({ timing }));
  const api = stack.use(await startApi());
  const struck = new Set<GaleraNode>();
  const over = new AbortController();
  stack.defer(() => over.abort());
  const moved = stack.move();
  return {
    galera,
    api,
    directory: path,
    over: over.signal,
    struck,
    sound: () => galera.nodes.filter((node) => !struck.has(node)),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}
