/**
 * The order of the charts in an upgrade: each stage starts when the previous one is complete. The charts of one stage are
 * upgraded at the same time, because their own Jobs and waits order them: Nova's conductors of all cells come before
 * its API, and its API before the compute nodes.
 */
export const UPGRADE_STAGES = [
  ['mariadb', 'memcached', 'rabbitmq'],
  ['keystone'],
  ['placement'],
  ['glance'],
  ['nova', 'nova-cell', 'nova-compute'],
  ['neutron'],
  ['cinder'],
  ['heat'],
  ['horizon'],
] as const satisfies readonly (readonly string[])[];

/** The index of the stage of a chart. Charts that are not ours come last. */
export function upgradeStage(chart: string): number {
  const stage = UPGRADE_STAGES.findIndex((charts) => (charts as readonly string[]).includes(chart));
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
