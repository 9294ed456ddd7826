import type { OpenStack, OpenStackService } from '../api/objects.ts';
import { pausesIn, planOf, stagesOf, wantedServices } from './plan.ts';

/** The steps of an upgrade to a release, or back to it, in order, for users. */
export function stepsTo(
  release: string,
  openstack: OpenStack,
  existing: ReadonlyMap<string, OpenStackService>,
): string[] {
  const target = { ...openstack, spec: { ...openstack.spec, release } };
  const all = wantedServices(target, existing);
  const wanted = all.filter((one) => existing.get(one.name)?.spec.release !== one.spec.release);
  const { kind, refused, isBeginning } = planOf(target, existing);
  if (refused !== undefined) return [`refused: ${refused}`];
  const { pauseAfter = [] } = openstack.spec.upgrade ?? {};
  const held = wanted.filter(({ spec }) => pausesIn(spec));
  const steps = stagesOf(wanted, kind).flatMap((stage) => {
    const names = stage.map(({ name }) => name).join(', ');
    const pauses = pauseAfter.filter((name) => stage.some((one) => one.name === name));
    return [
      kind === 'roll back'
        ? `${names}: helm upgrade --no-hooks to ${release}, then wait until the workloads are rolled out`
        : `${names}: helm upgrade to ${release} (Jobs first), then wait until workloads and Jobs are complete`,
      ...(pauses.length > 0 ? [`pause: spec.upgrade.pauseAfter has ${pauses.join(', ')}`] : []),
    ];
  });
  const pause = `pause: spec.upgrade.pauseBefore is contract; then contract of ${held.map(({ name }) => name).join(', ')}`;
  return [
    ...(kind === 'upgrade' && isBeginning ? [`preflight: ${PREFLIGHT}`] : []),
    ...steps,
    ...(held.length > 0 ? [pause] : []),
  ];
}

/** What openstack/preflight.ts checks. */
const PREFLIGHT =
  'OpenStack supports the upgrade, all charts render, database and message queue are ready, no migration is unfinished, upgrade checks pass';
