import { KOLLA_SERVICES } from './kolla-services.ts';
import { STAGES, type KollaService } from './service.ts';

/** Charts of what all services depend on. It has no release of OpenStack, and is upgraded first. */
const INFRASTRUCTURE_CHARTS = ['mariadb', 'memcached', 'rabbitmq'] as const;

/** The services with a chart in k8s/charts, in the order of an upgrade. */
export const chartedServices: readonly KollaService[] = STAGES.flatMap(inStage);

/** The charts of k8s/charts in the order of an upgrade. */
export const UPGRADE_STAGES: readonly [readonly string[], ...(readonly string[])[]] = [
  INFRASTRUCTURE_CHARTS,
  ...STAGES.map((stage) => inStage(stage).flatMap(({ name, charts = [name] }) => charts)),
];

function inStage(stage: (typeof STAGES)[number]): KollaService[] {
  return Object.values(KOLLA_SERVICES).filter((service: KollaService) => service.stage === stage);
}

/** The index of the stage of a chart. Charts that are not ours come last. */
export function upgradeStage(chart: string): number {
  const stage = UPGRADE_STAGES.findIndex((charts) => charts.includes(chart));
  return stage === -1 ? UPGRADE_STAGES.length : stage;
}

/** The OpenStack releases whose commands and phases the catalogue has, oldest first. */
export const RELEASES = ['2025.1', '2025.2', '2026.1', '2026.2'] as const;

/** The known release in the name of a tag: `2026.1` in `2026.1-ubuntu-noble`. */
export function knownRelease(text: string = ''): (typeof RELEASES)[number] | undefined {
  return RELEASES.find((release) => text === release || text.startsWith(`${release}-`));
}

/**
 * The known releases to which OpenStack supports an upgrade: the next one, and from the first of a year the first of the next
 * year (SLURP: https://governance.openstack.org/tc/resolutions/20220210-release-cadence-adjustment.html).
 */
export function upgradesFrom(release: (typeof RELEASES)[number]): readonly (typeof RELEASES)[number][] {
  const [next, ...later] = RELEASES.slice(RELEASES.indexOf(release) + 1);
  const isFirst = (one: string) => one.endsWith('.1');
  const slurp = isFirst(release) ? later.find(isFirst) : undefined;
  return [next, slurp].filter((one) => one !== undefined);
}
