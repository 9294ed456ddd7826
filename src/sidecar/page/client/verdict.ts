import { many } from './format.ts';
import type { Model } from './model.ts';

/** The whole in a sentence, for the headline and for who listens. */
export function verdictOf({ about, roles, checks, waits, config, shipping, migration }: Model): string {
  if (about === null) return 'Waiting for the first answer';
  const failing = [...roles.values()].filter(({ state }) => state === 'failing' || state === 'stuck');
  const unhealthy = [...checks.values()].filter(({ state }) => state === 'unhealthy' || state === 'unseen');
  const open = [...waits.values()].filter(({ isMet }) => !isMet);
  const problems = [
    ...(failing.length > 0 ? [`${failing.map(({ name }) => name).join(', ')} failing`] : []),
    ...(unhealthy.length > 0 ? [`${many(unhealthy.length, 'check', 'checks')} unhealthy`] : []),
    ...(config?.state === 'refused' || config?.state === 'failed' ? [`configuration ${config.state}`] : []),
    ...(shipping !== null && shipping.held !== null ? ['logs held back'] : []),
    ...(migration?.stage === 'failed' ? ['migration failed'] : []),
  ];
  const waiting = open.length > 0 ? [`waiting for ${many(open.length, 'dependency', 'dependencies')}`] : [];
  if (about.isStopping) return ['Stopping', ...problems].join('; ');
  const state = problems.length > 0 ? 'Needs a look' : about.readiness === 'ok' ? 'All well' : 'Not ready yet';
  const rest = [...problems, ...waiting];
  return rest.length === 0 ? state : `${state}: ${rest.join('; ')}`;
}
