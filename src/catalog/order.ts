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
