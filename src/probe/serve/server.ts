import type { Log } from '../../core/log.ts';
import type { ListenAddress } from '../../net/address.ts';
import type { BoundedServer } from '../../net/http/bounded-server.ts';
import { serveRoutes, type Routes } from '../../net/http/router.ts';
import type { Family } from '../../net/prometheus.ts';
import type { Checks } from './checks.ts';
import { openShimDoor } from './shim-door.ts';
import { ROLES, type Part, type Role } from './part.ts';
import { partsOf, probeRoutes, roleHealth, type Known } from './routes.ts';

export interface ServedOptions {
  readonly listen: ListenAddress;
  /** Undefined: no gRPC. */
  readonly grpcListen?: ListenAddress | undefined;
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
  /** Undefined: no gRPC. */
  readonly grpcPort: number | undefined;
  /** To be called when the state of `others` has changed, for who watches. */
  changed(): void;
  /** The end has come: /readyz is 503 from now on, all else is answered as before. */
  drain(): void;
}

/**
 * Serves what is known, by HTTP, to Kolla's shims, and by gRPC.
 * @throws ConfigError for an address that is taken or not ours, and for a door file that was asked for and can't be written
 */
export async function serveProbes(options: ServedOptions, served: Served, log: Log): Promise<ProbeServer> {
  const { checks, others = () => [], routes = {}, families = () => [] } = served;
  let isEnding = false;
  const known: Known = { checks: () => checks.snapshot(), others, families, isEnding: () => isEnding };
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  await using stack = new AsyncDisposableStack();
  stack.use(checks.onChange(changed));
  const door = stack.use(openShimDoor(options.doorFile));
  const all = { ...probeRoutes(known), ...door.routes, ...routes };
  const http = stack.use(await serveRoutes(options.listen, all, options.statusPublic));
  await door.tell({ ...options.listen, port: http.port }, log);
  let grpc: BoundedServer | undefined;
  if (options.grpcListen !== undefined) {
    // Lazy: HTTP/2 costs memory that most pods need not spend.
    const { serveGrpcHealth } = await import('./grpc/index.ts');
    const onChange = (listener: () => void) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    };
    const isServing = (service: string) => servingOf(service, known);
    grpc = stack.use(await serveGrpcHealth(options.grpcListen, { isServing, onChange }));
  }
  const kept = stack.move();
  return {
    port: http.port,
    grpcPort: grpc?.port,
    changed,
    drain() {
      isEnding = true;
      changed();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The server as a whole is alive: who asks no more than that may restart us, and must not for what others lack. */
const WHOLE: Role = 'liveness';

function servingOf(service: string, known: Known): boolean | undefined {
  const role = service === '' ? WHOLE : ROLES.find((each) => each === service);
  if (role !== undefined) return roleHealth(role, known).isOk;
  const part = partsOf(known).find(({ name }) => name === service);
  return part === undefined ? undefined : part.state === 'healthy';
}
