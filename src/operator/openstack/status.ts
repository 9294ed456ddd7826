import { defined } from '../../core/defined.ts';
import { withVerdicts, type ConditionUpdate } from '../api/conditions.ts';
import type { OpenStack, OpenStackPhase, OpenStackStatus } from '../api/objects.ts';
import type { Plan } from './plan.ts';

/** The longest message that a table shows. */
const LINE_MAX_CHARACTERS = 200;

/** What an attempt has shown. */
interface Attempt {
  /** A service that the API server does not accept. */
  readonly refused?: { readonly name: string; readonly message: string } | undefined;
  /** The condition `Preflight`; undefined if it was not checked. */
  readonly checked?: ConditionUpdate | undefined;
}

/** The status that follows from a plan. */
export function statusOf(
  { metadata: { generation }, spec }: OpenStack,
  before: OpenStackStatus = {},
  plan: Plan,
  { refused, checked }: Attempt,
  now: Date,
): OpenStackStatus {
  const services = plan.services.map((service) => {
    if (service.name === refused?.name) return { ...service, state: 'Degraded' as const, message: refused.message };
    const isKept =
      checked !== undefined && checked.status !== 'True' && plan.apply.some(({ name }) => name === service.name);
    return isKept ? { ...service, state: 'Waiting' as const, message: 'after the preflight' } : service;
  });
  const of = (...states: string[]) => services.filter(({ state }) => states.includes(state));
  const ready = of('Ready');
  const isDone = ready.length === services.length && plan.held.length === 0;
  const failed = of('Degraded').map(({ name, message }) => `${name}: ${message}`);
  const stopped = stopOf(plan, checked);
  const bad = stopped === undefined ? failed : [stopped.message, ...failed];
  const busy = of('Progressing').map(({ name, message = '' }) => (message === '' ? name : `${name} (${message})`));
  const isHeld = plan.held.length > 0 && ready.length === services.length;
  const paused = (plan.pausedAfter.length > 0 || isHeld) && busy.length + bad.length === 0;
  const phase = phaseOf(
    { isSuspended: spec.suspend === true, isDone, isBad: bad.length > 0, paused },
    plan,
    before,
    spec.release,
  );
  const words = {
    Degraded: bad.join('; '),
    Paused: isHeld
      ? `spec.upgrade.pauseBefore is contract: remove it to contract ${plan.held.join(', ')}`
      : `spec.upgrade.pauseAfter has ${plan.pausedAfter.join(', ')}: remove it to go on`,
    Suspended: 'spec.suspend is true',
    Ready: '',
    other:
      checked?.status === 'Unknown'
        ? checked.message
        : `waiting for ${
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
    Degraded: stopped?.reason ?? 'ServiceDegraded',
    Suspended: 'Suspended',
  }[phase];
  const isMoving = phase === 'Installing' || phase === 'Upgrading' || phase === 'Configuring';
  const verdicts: Record<string, ConditionUpdate> = {
    Ready: isDone
      ? { status: 'True', reason: 'Ready', message: `${services.length} services are ready at ${spec.release}` }
      : { status: 'False', reason, message },
    Progressing: isMoving ? { status: 'True', reason, message } : { status: 'False', reason, message },
    Degraded:
      bad.length > 0
        ? { status: 'True', reason: stopped?.reason ?? 'ServiceDegraded', message: bad.join('; ') }
        : { status: 'False', reason: 'AsExpected', message: 'no service is degraded' },
    ...defined({ Preflight: checked }),
  };
  const release = isDone ? spec.release : before.release;
  // One that has not passed, and is not repeated, was for an upgrade that was taken back.
  const kept = before.conditions?.filter(({ type, status }) => type !== 'Preflight' || status === 'True');
  return {
    observedGeneration: generation,
    ...defined({ release }),
    phase,
    progress: `${ready.length}/${services.length}`,
    message: message.length > LINE_MAX_CHARACTERS ? `${message.slice(0, LINE_MAX_CHARACTERS - 3)}...` : message,
    services: services.map(({ message: why, ...service }) => ({
      ...service,
      ...defined({ message: why }),
    })),
    conditions: withVerdicts(kept, verdicts, generation, now),
  };
}

/** Why no service may be changed. */
function stopOf(
  { refused }: Plan,
  checked: ConditionUpdate | undefined,
): { reason: string; message: string } | undefined {
  if (refused !== undefined) return { reason: 'RollbackRefused', message: refused };
  return checked?.status === 'False' ? { reason: 'PreflightFailed', message: checked.message } : undefined;
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
