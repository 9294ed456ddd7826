import type { Part } from '../probe/serve/index.ts';
import type { Family } from '../net/prometheus.ts';
import type { RoleStatus } from './status/document.ts';

/**
 * The components' contributions to probes. A failed component does not fail liveness, because the sidecar restarts it
 * and a new container would restart the others too. Only a component that cannot be restarted fails liveness, since it
 * needs a new process. A part's name has a slash, which a check's name cannot have.
 */
export function partsOfRoles(roles: readonly RoleStatus[]): readonly Part[] {
  return roles.flatMap((role): Part[] => {
    const reason = reasonOf(role);
    const state = role.state === 'stuck' ? 'unhealthy' : 'healthy';
    const alive: Part = { name: `role/${role.name}`, roles: ['liveness'], state, reason, since: role.since };
    return role.holdsStartup ? [alive, holding(role, reason)] : [alive];
  });
}

/** The part of a component for whose end later containers of the Pod wait. */
function holding({ name, state, since }: RoleStatus, reason: string): Part {
  const isBad = state === 'failing' || state === 'stuck';
  return {
    name: `role/${name}/done`,
    roles: ['startup', 'readiness'],
    state: state === 'done' ? 'healthy' : isBad ? 'unhealthy' : 'unknown',
    reason,
    since,
  };
}

function reasonOf({ state, problem }: RoleStatus): string {
  if (problem === null) return state;
  return state === 'running' ? `running again; it had failed: ${problem}` : `${state}: ${problem}`;
}

/** Metrics for Prometheus: only names of components and numbers. */
export function roleFamilies(roles: readonly RoleStatus[]): Family[] {
  const ofEach = (value: (role: RoleStatus) => number) =>
    roles.map((role) => ({ labels: { role: role.name }, value: value(role) }));
  return [
    {
      name: 'kolla_sidecar_role_up',
      type: 'gauge',
      help: 'Whether a component is running or done (1), or not (0).',
      samples: ofEach(({ state }) => Number(state === 'running' || state === 'done')),
    },
    {
      name: 'kolla_sidecar_role_failures_total',
      type: 'counter',
      help: 'Restarts of a failed component.',
      samples: ofEach(({ failures }) => failures),
    },
  ];
}
