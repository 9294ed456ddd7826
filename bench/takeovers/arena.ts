import { startGalera, type Galera, type GaleraNode, type GaleraOptions } from '../../test/cluster/galera.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { startApi, type Api } from './api.ts';

/** The cluster of the lanes, its faulty nodes, and the API server. */
export interface Arena extends AsyncDisposable {
  readonly galera: Galera;
  readonly api: Api;
  readonly directory: string;
  /** Aborted on close. */
  readonly over: AbortSignal;
  /** Nodes taken down by a fault. */
  readonly struck: Set<GaleraNode>;
  /** Usable nodes. */
  readonly sound: () => readonly GaleraNode[];
}

/** @param timing of the cluster: how soon it evicts a silent node */
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
