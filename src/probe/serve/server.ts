import type { Log } from '../../core/log.ts';
import type { ListenAddress } from '../../net/address.ts';
import { serveRoutes, type Routes } from '../../net/http/router.ts';
import type { Family } from '../../net/prometheus.ts';
import type { Checks } from './checks.ts';
import { openShimDoor } from './shim-door.ts';
import type { Part } from './part.ts';
import { probeRoutes, type Known } from './routes.ts';

export interface ServedOptions {
  readonly listen: ListenAddress;
  /** Whether everybody may see reasons. */
  readonly statusPublic: boolean;
  /** Where Kolla's shims find us; undefined: at the usual place, if there is a folder for it. */
  readonly doorFile?: string | undefined;
}

/** What is served, and what others add to it. */
export interface Served {
  readonly checks: Checks;
  /** Further parts that decide probes, asked at each request. */
  readonly others?: () => readonly Part[];
  /** Further paths; they win over ours. */
  readonly routes?: Routes;
  readonly families?: () => readonly Family[];
}

/** Answers probes until it is disposed of. */
export interface ProbeServer extends AsyncDisposable {
  readonly port: number;
  /** The end has come: /readyz is 503 from now on, all else is answered as before. */
  drain(): void;
}

/**
 * Serves what is known, by HTTP, and to Kolla's shims.
 * @throws ConfigError for an address that is taken or not ours, and for a door file that was asked for and can't be written
 */
export async function serveProbes(options: ServedOptions, served: Served, log: Log): Promise<ProbeServer> {
  const { checks, others = () => [], routes = {}, families = () => [] } = served;
  let isEnding = false;
  const known: Known = { checks: () => checks.snapshot(), others, families, isEnding: () => isEnding };
  await using stack = new AsyncDisposableStack();
  const door = stack.use(openShimDoor(options.doorFile));
  const all = { ...probeRoutes(known), ...door.routes, ...routes };
  const http = stack.use(await serveRoutes(options.listen, all, options.statusPublic));
  await door.tell({ ...options.listen, port: http.port }, log);
  const kept = stack.move();
  return {
    port: http.port,
    drain() {
      isEnding = true;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
