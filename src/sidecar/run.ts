import { once } from 'node:events';
import type { Inside } from '../net/http/router.ts';
import { randomBytes } from 'node:crypto';
import type { Context } from '../cli/command.ts';
import { formatListen, type ListenAddress } from '../net/address.ts';
import { healthRoute, type Route, type Routes } from '../net/http/router.ts';
import { healthOf, listenAddress, serveProbes, type Part } from '../probe/serve/index.ts';
import { partsOfRoles, roleFamilies } from './parts.ts';
import { prepareRoles } from './prepare.ts';
import type { SidecarOptions } from './options.ts';
import type { PreparedRole } from './role.ts';
import type { PreparedProbe } from './roles/probe.ts';
import { STOP_ORDER } from './role.ts';
import { Hub } from './status/hub.ts';
import { lookWith, NO_SOURCES, type Sources } from './status/look.ts';
import { statusRoutes } from './status/routes.ts';
import { supervise } from './supervisor.ts';

type ComponentContext = Pick<Context, 'signal' | 'log' | 'inherited'>;

/**
 * `kolla-sidecar`: runs the roles that were asked for.
 * @throws as runComponents() does; UsageError or ConfigError before any role runs
 */
export async function runSidecar(
  options: SidecarOptions,
  context: ComponentContext & Pick<Context, 'podFile' | 'stdout'>,
): Promise<never> {
  const listen = listenAddress('--listen', options.listen);
  return await runComponents(await prepareRoles({ options, context }), { ...options, listen }, context);
}

/**
 * Runs components, or one alone, until the signal is aborted, and ends them in STOP_ORDER. All that a resident helper needs
 * around its own work is here, so that none has to bring it along: probes (/startupz holds while a component that
 * `holdsStartup` is not done, /readyz is 503 from the signal on), /metrics, the status page, and the supervisor, which
 * restarts what fails with a backoff. A component is prepared by its caller (`roles/` has those of kolla-sidecar): its
 * options are checked, and nothing of it runs yet.
 * @param prepared at most one of each name
 * @returns never by itself: a component that is done stays done, and is shown as such
 * @throws the signal's reason; ConfigError before any component runs, for an address that is taken and for a Pod in which one
 *   must not run
 */
export async function runComponents(
  prepared: readonly PreparedRole[],
  { listen, statusPublic, hostNetwork }: Inside & { readonly listen: ListenAddress },
  { signal, log, inherited }: ComponentContext,
): Promise<never> {
  const probe = prepared.find((each): each is PreparedProbe => 'checks' in each);
  const checks = () => probe?.checks.snapshot() ?? [];
  using supervisor = supervise(
    prepared.map(({ role }) => role),
    log,
  );
  const own = (): readonly Part[] => [
    ...partsOfRoles(supervisor.status()),
    ...prepared.flatMap(({ parts }) => parts?.() ?? []),
  ];
  let isStopping = false;
  const look = lookWith(sourcesOf(prepared), {
    roles: () => supervisor.status(),
    parts: () => [...checks(), ...own()],
    isStopping: () => isStopping,
    startedAt: Date.now(),
    env: inherited,
  });
  using status = statusRoutes(new Hub(randomBytes(6).toString('hex'), look), async () => {
    const { PAGE } = await import('./page/text.ts');
    return PAGE;
  });
  await using server = await serveProbes(
    { listen, statusPublic, hostNetwork },
    {
      checks,
      others: own,
      routes: { ...status.routes, ...rolesOnly(own), ...ofOneRole(prepared) },
      families: () => [...roleFamilies(supervisor.status()), ...prepared.flatMap((each) => each.families?.() ?? [])],
    },
  );
  const at = { ...listen, port: server.port };
  log.info(`probes, metrics and the status page are answered on ${formatListen(at)}`, { roles: namesOf(prepared) });
  const hasStartupChecks = probe?.hasStartupChecks === true;
  for (const each of prepared)
    await each.requireSafe?.({ port: server.port, hasStartupChecks, laterStopMs: laterStopMs(each, prepared) });
  supervisor.start();
  if (!signal.aborted) await once(signal, 'abort');
  isStopping = true;
  server.drain();
  await supervisor.stop(signal.reason as Error);
  throw signal.reason;
}

function namesOf(prepared: readonly PreparedRole[]): string {
  return prepared.map(({ role }) => role.name).join(' ');
}

function sourcesOf(prepared: readonly PreparedRole[]): Sources {
  const all: Sources = { ...NO_SOURCES };
  for (const { sources } of prepared) Object.assign(all, sources);
  return all;
}

/**
 * `/startupz/roles`: the roles alone. A native sidecar's own startup probe must not ask for the service's health, which starts
 * only when that probe has succeeded.
 */
function rolesOnly(parts: () => readonly Part[]): Routes {
  return { '/startupz/roles': healthRoute(() => healthOf('startup', parts())) };
}

/** `/readyz/log-ship`: what one role says, for who wants to know of it alone. */
function ofOneRole(prepared: readonly PreparedRole[]): Routes {
  const routes = prepared.flatMap(({ role, parts }): [string, Route][] => {
    if (parts === undefined) return [];
    const all = () => parts().map((part): Part => ({ ...part, roles: ['readiness'] }));
    return [[`/readyz/${role.name}`, healthRoute(() => healthOf('readiness', all()))]];
  });
  return Object.fromEntries(routes);
}

/** What is stopped after this one comes on top of its own time. */
function laterStopMs(of: PreparedRole, all: readonly PreparedRole[]): number {
  const at = STOP_ORDER.findIndex((names) => names.includes(of.role.name));
  return STOP_ORDER.slice(at + 1)
    .map((names) => all.filter(({ role }) => names.includes(role.name)).map(({ role }) => role.stopMs))
    .reduce((sum, group) => sum + Math.max(0, ...group), 0);
}
