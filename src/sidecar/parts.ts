import type { Part } from '../probe/serve/index.ts';
import type { Family } from '../net/prometheus.ts';
import type { ComponentStatus } from './status/document.ts';

/**
 * The components' contributions to probes. A failed component does not fail liveness, because the sidecar restarts it
 * and a new container would restart the others too. Only a component that cannot be restarted fails liveness, since it
 * needs a new process. A part's name has a slash, which a check's name cannot have.
 */
export function partsOfComponents(components: readonly ComponentStatus[]): readonly Part[] {
  return components.flatMap((component): Part[] => {
    const reason = reasonOf(component);
    const state = component.state === 'stuck' ? 'unhealthy' : 'healthy';
    const alive: Part = {
      name: `component/${component.name}`,
      roles: ['liveness'],
      state,
      reason,
      since: component.since,
    };
    return component.holdsStartup ? [alive, holding(component, reason)] : [alive];
  });
}

/** The part of a component for whose end later containers of the Pod wait. */
function holding({ name, state, since }: ComponentStatus, reason: string): Part {
  const isBad = state === 'failing' || state === 'stuck';
  return {
    name: `component/${name}/done`,
    roles: ['startup', 'readiness'],
    state: state === 'done' ? 'healthy' : isBad ? 'unhealthy' : 'unknown',
    reason,
    since,
  };
}

function reasonOf({ state, problem }: ComponentStatus): string {
  if (problem === null) return state;
  return state === 'running' ? `running again; it had failed: ${problem}` : `${state}: ${problem}`;
}

/** Metrics for Prometheus: only names of components and numbers. */
export function componentFamilies(components: readonly ComponentStatus[]): Family[] {
  const ofEach = (value: (component: ComponentStatus) => number) =>
    components.map((component) => ({ labels: { component: component.name }, value: value(component) }));
  return [
    {
      name: 'kolla_sidecar_component_up',
      type: 'gauge',
      help: 'Whether a component is running or done (1), or not (0).',
      samples: ofEach(({ state }) => Number(state === 'running' || state === 'done')),
    },
    {
      name: 'kolla_sidecar_component_failures_total',
      type: 'counter',
      help: 'Restarts of a failed component.',
      samples: ofEach(({ failures }) => failures),
    },
  ];
}
