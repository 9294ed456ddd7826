import { withVerdicts, type Verdict } from '../conditions.ts';
import type { OpenStack, OpenStackPhase, OpenStackStatus } from '../objects.ts';
import type { Plan } from './plan.ts';

/** The longest message that a table shows. */
const LINE_MAX_CHARACTERS = 200;

/**
 * The status that follows from a plan.
 * @param refused a service that the API server does not accept
 */
export function statusOf(
  { metadata: { generation }, spec }: OpenStack,
  before: OpenStackStatus = {},
  plan: Plan,
  refused: { readonly name: string; readonly message: string } | undefined,
  now: Date,
): OpenStackStatus {
  const services = plan.services.map((service) =>
    service.name === refused?.name ? { ...service, state: 'Degraded' as const, message: refused.message } : service,
  );
  const of = (...states: string[]) => services.filter(({ state }) => states.includes(state));
  const ready = of('Ready');
  const isDone = ready.length === services.length;
  const bad = of('Degraded').map(({ name, message }) => `${name}: ${message}`);
  const busy = of('Progressing').map(({ name, message = '' }) => (message === '' ? name : `${name} (${message})`));
  const paused = plan.pausedAfter.length > 0 && busy.length + bad.length === 0;
  const phase = phaseOf(
    { isSuspended: spec.suspend === true, isDone, isBad: bad.length > 0, paused },
    plan,
    before,
    spec.release,
  );
  const words = {
    Degraded: bad.join('; '),
    Paused: `spec.upgrade.pauseAfter has ${plan.pausedAfter.join(', ')}: remove it to go on`,
    Suspended: 'spec.suspend is true',
    Ready: '',
    other: `waiting for ${
      [...busy].join(', ') ||
      of('Waiting')
        .map(({ name }) => name)
        .join(', ')
    }`,
  };
  const message = phase in words ? words[phase as keyof typeof words] : words.other;
  const reason = {
    Installing: 'Installing',
    Upgrading: plan.kind === 'roll back' ? 'RollingBack' : 'Upgrading',
    Configuring: 'Configuring',
    Paused: 'Paused',
    Ready: 'Ready',
    Degraded: 'ServiceDegraded',
    Suspended: 'Suspended',
  }[phase];
  const isMoving = phase === 'Installing' || phase === 'Upgrading' || phase === 'Configuring';
  const verdicts: Record<string, Verdict> = {
    Ready: isDone
      ? { status: 'True', reason: 'Ready', message: `${services.length} services are ready at ${spec.release}` }
      : { status: 'False', reason, message },
    Progressing: isMoving ? { status: 'True', reason, message } : { status: 'False', reason, message },
    Degraded:
      bad.length > 0
        ? { status: 'True', reason: 'ServiceDegraded', message: bad.join('; ') }
        : { status: 'False', reason: 'AsExpected', message: 'no service is degraded' },
  };
  const release = isDone ? spec.release : before.release;
  return {
    observedGeneration: generation,
    ...(release === undefined ? {} : { release }),
    phase,
    progress: `${ready.length}/${services.length}`,
    message: message.length > LINE_MAX_CHARACTERS ? `${message.slice(0, LINE_MAX_CHARACTERS - 3)}...` : message,
    services: services.map(({ message: why, ...service }) => ({
      ...service,
      ...(why === undefined ? {} : { message: why }),
    })),
    conditions: withVerdicts(before.conditions, verdicts, generation, now),
  };
}

function phaseOf(
  is: { readonly isSuspended: boolean; readonly isDone: boolean; readonly isBad: boolean; readonly paused: boolean },
  { kind }: Plan,
  { release }: OpenStackStatus,
  wanted: string,
): OpenStackPhase {
  if (is.isBad) return 'Degraded';
  if (is.isDone) return 'Ready';
  if (is.isSuspended) return 'Suspended';
  if (is.paused) return 'Paused';
  if (release === undefined) return 'Installing';
  return kind === 'apply' && release === wanted ? 'Configuring' : 'Upgrading';
}
