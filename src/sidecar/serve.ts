import type { Context } from '../cli/command.ts';
import { formatListen, type ListenAddress } from '../net/dial/address.ts';
import { healthRoute, type Inside, type Route, type Routes } from '../net/http/router.ts';
// Not imported from the index, which imports all checks, because kolla-db-sync and kolla-log-ship have none.
import { healthOf, type Part } from '../probe/serve/part.ts';
import { serveProbes } from '../probe/serve/server.ts';
import { partsOfComponents, componentFamilies } from './parts.ts';
import { STOP_ORDER, type PreparedComponent } from './components/component.ts';
import type { PreparedProbe } from './components/probe.ts';
import type { ComponentStatus } from './status/document.ts';
import { Hub } from './status/hub.ts';
import { lookWith, NO_SOURCES, type Sources } from './status/look.ts';
import { statusRoutes } from './status/routes.ts';

/** The address on which components are served. */
export type ServedAt = Inside & { readonly listen: ListenAddress };

/** Serves components until it is disposed. */
interface ComponentServer extends AsyncDisposable {
  /** Called on shutdown: from now on /readyz returns 503. */
  drain(): void;
}

/**
 * Serves a sidecar's port: probes, /metrics and the status page. Then checks that each component may run in this Pod.
 * @param prepared components, at most one of each name
 * @param status returns the state of each component; called on each request
 * @throws ConfigError if the address is in use, and for a Pod in which a component must not run
 */
export async function serveComponents(
  prepared: readonly PreparedComponent[],
  status: () => readonly ComponentStatus[],
  { listen, statusPublic, hostNetwork }: ServedAt,
  { log, inherited, signal }: Pick<Context, 'log' | 'inherited' | 'signal'>,
): Promise<ComponentServer> {
  const probe = prepared.find((each): each is PreparedProbe => 'checks' in each);
  const checks = () => probe?.checks.snapshot() ?? [];
  const own = (): readonly Part[] => [
    ...partsOfComponents(status()),
    ...prepared.flatMap(({ parts }) => parts?.() ?? []),
  ];
  let isStopping = false;
  const look = lookWith(sourcesOf(prepared), {
    components: status,
    parts: () => [...checks(), ...own()],
    isStopping: () => isStopping,
    startedAt: Date.now(),
    env: inherited,
  });
  await using opened = new AsyncDisposableStack();
  const page = opened.use(
    statusRoutes(new Hub(bootId(), look), async () => {
      const { PAGE } = await import('./page/text.ts');
      return PAGE;
    }),
  );
  const server = opened.use(
    await serveProbes(
      { listen, statusPublic, hostNetwork },
      {
        checks,
        others: own,
        routes: { ...page.routes, ...componentsOnly(own), ...routesOf(prepared) },
        families: () => [...componentFamilies(status()), ...prepared.flatMap((each) => each.families?.() ?? [])],
      },
      signal,
    ),
  );
  const at = formatListen({ ...listen, port: server.port });
  log.info(`probes, metrics and the status page are answered on ${at}`, { components: namesOf(prepared) });
  const hasStartupChecks = probe?.hasStartupChecks === true;
  for (const each of prepared)
    await each.requireSafe?.({ port: server.port, hasStartupChecks, laterStopMs: laterStopMs(each, prepared) });
  const kept = opened.move();
  return {
    drain() {
      isStopping = true;
      server.drain();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function bootId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString('hex');
}

function namesOf(prepared: readonly PreparedComponent[]): string {
  return prepared.map(({ component }) => component.name).join(' ');
}

function sourcesOf(prepared: readonly PreparedComponent[]): Sources {
  const all: Sources = { ...NO_SOURCES };
  for (const { sources } of prepared) Object.assign(all, sources);
  return all;
}

/**
 * `/startupz/components`: the components alone. A native sidecar's startup probe must not depend on the service, which
 * starts only when that probe has succeeded.
 */
function componentsOnly(parts: () => readonly Part[]): Routes {
  return { '/startupz/components': healthRoute(() => healthOf('startup', parts())) };
}

/** `/readyz/log-ship`: the state of one component. Paths that the component serves itself are included. */
function routesOf(prepared: readonly PreparedComponent[]): Routes {
  const routes = prepared.flatMap(({ component, parts, routes: own = {} }): [string, Route][] => {
    if (parts === undefined) return Object.entries(own);
    const all = () => parts().map((part): Part => ({ ...part, roles: ['readiness'] }));
    return [[`/readyz/${component.name}`, healthRoute(() => healthOf('readiness', all()))], ...Object.entries(own)];
  });
  return Object.fromEntries(routes);
}

/** Time that the components that stop after this one need. */
function laterStopMs(of: PreparedComponent, all: readonly PreparedComponent[]): number {
  const at = STOP_ORDER.findIndex((names) => names.includes(of.component.name));
  return STOP_ORDER.slice(at + 1)
    .map((names) =>
      all.filter(({ component }) => names.includes(component.name)).map(({ component }) => component.stopMs),
    )
    .reduce((sum, group) => sum + Math.max(0, ...group), 0);
}
