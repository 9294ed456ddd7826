import { UPGRADE_STAGES } from '../../catalog/index.ts';
import type { Release } from '../helm/release.ts';
import { labelOf, type Desired } from './desired.ts';

/** A Helm release that is not this service's. The message names the fix. */
export class ForeignReleaseError extends Error {
  override name = 'ForeignReleaseError';
}

/** On which all charts of the catalogue depend. */
const LIBRARY = 'kolla-pod';

/**
 * Rejects a release that another chart has made: an upgrade would delete all its objects. The charts of other projects have the
 * names of ours, such as mariadb, but not their library.
 * @throws ForeignReleaseError
 */
export function requireOwnRelease(newest: Release | undefined, { chart: { name } }: Pick<Desired, 'chart'>): void {
  if (newest === undefined || newest.status === 'uninstalled') return;
  const { chart, revision } = newest;
  const isOurs = labelOf(newest, 'desired') !== undefined || chart.dependencies?.includes(LIBRARY) === true;
  const isNamesake = UPGRADE_STAGES.flat().includes(name) && !isOurs;
  if (chart.name === name && !isNamesake) return;
  const whose =
    chart.name === name ? `another chart named ${name}, without the library ${LIBRARY}` : `chart ${chart.name}`;
  throw new ForeignReleaseError(
    `revision ${revision} of the Helm release is of ${whose} (${chart.name}-${chart.version}), so nothing is changed; name the ` +
      `service differently and set its chart to ${name}, or run helm uninstall`,
  );
}
