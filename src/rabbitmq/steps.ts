/**
 * The upgrades that RabbitMQ supports, as data. A wrong one may migrate the metadata of the first node before it fails, and that
 * node then starts with neither version.
 */
import { compareSeries, parseVersion, seriesOf, type Version } from './version.ts';

/** The next series, where that is not only the next minor one: as kolla-ansible's `rabbitmq_allowed_upgrades`. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '3.13': ['4.0', '4.1', '4.2'],
  '4.0': ['4.1', '4.2'],
};

/** From here on the metadata is in Khepri alone. */
const KHEPRI_ONLY: Version = { major: 4, minor: 3, text: '4.3' };
/** Khepri of 3.13 was an experiment: its data cannot be upgraded. */
const KHEPRI_SUPPORTED: Version = { major: 4, minor: 0, text: '4.0' };
export const KHEPRI_FLAG = 'khepri_db';
export const OPT_IN_COMMAND = `rabbitmqctl enable_feature_flag --opt-in ${KHEPRI_FLAG}`;
/** More than any path has. */
const MAX_STEPS = 20;

interface Step {
  readonly from: Version;
  readonly to: Version;
  /** The enabled feature flags of the data; undefined if unknown. */
  readonly flags: ReadonlySet<string> | undefined;
}

/** Series to which a node of this version may be upgraded. */
export function nextSeries({ major, minor }: Pick<Version, 'major' | 'minor'>): readonly string[] {
  return NEXT[seriesOf({ major, minor })] ?? [`${major}.${minor + 1}`];
}

/** Whether Khepri may, and so should, be enabled before a step from this version. */
export function optsIntoKhepri(version: Version): boolean {
  return compareSeries(version, KHEPRI_SUPPORTED) >= 0 && compareSeries(version, KHEPRI_ONLY) < 0;
}

/** Whether the upgrade removes mirrored queues, whose policies then keep a node from starting. */
export function removesMirroring({ from, to }: Pick<Step, 'from' | 'to'>): boolean {
  return from.major < 4 && to.major >= 4;
}

/** Why RabbitMQ does not support an upgrade, and what to do; undefined if it does. A patch release may go either way. */
export function refusalOf({ from, to, flags }: Step): string | undefined {
  const order = compareSeries(from, to);
  if (order === 0) return undefined;
  const step = `RabbitMQ ${from.text} -> ${to.text}`;
  if (order > 0)
    return (
      `${step}: RabbitMQ has no way back to an older series: its data may be of the newer one. Use an image of ` +
      `${seriesOf(from)} or ${nextSeries(from).join(', ')}; see "RabbitMQ" in docs/how-to/upgrades.md`
    );
  const next = nextSeries(from);
  if (!next.includes(seriesOf(to))) {
    const path = pathBetween(from, to);
    const way =
      path === undefined ? 'create a new cluster and move the clients' : `upgrade in steps: ${path.join(' -> ')}`;
    return (
      `${step}: RabbitMQ does not support this upgrade; from ${seriesOf(from)} the next is ${next.join(' or ')}. Go back ` +
      `to the image of ${seriesOf(from)} (helm rollback), then ${way}; see "RabbitMQ" in docs/how-to/upgrades.md`
    );
  }
  const hasKhepri = flags?.has(KHEPRI_FLAG);
  if (hasKhepri === true && compareSeries(from, KHEPRI_SUPPORTED) < 0 && compareSeries(to, KHEPRI_SUPPORTED) >= 0)
    return (
      `${step}: the feature flag ${KHEPRI_FLAG} is enabled, and Khepri of ${seriesOf(from)} cannot be upgraded: create a ` +
      'new cluster and move the clients'
    );
  if (hasKhepri === false && compareSeries(from, KHEPRI_ONLY) < 0 && compareSeries(to, KHEPRI_ONLY) >= 0)
    return (
      `${step}: the feature flag ${KHEPRI_FLAG} is not enabled, and ${seriesOf(to)} has no other metadata store. Go back ` +
      `to the image of ${seriesOf(from)} (helm rollback), then on one node, with all running: rabbitmqctl ` +
      `enable_feature_flag all, and ${OPT_IN_COMMAND}`
    );
  return undefined;
}

/** The shortest sequence of supported upgrades, with both ends; undefined if there is none. */
function pathBetween(from: Version, to: Version): string[] | undefined {
  const goal = seriesOf(to);
  let paths = [[seriesOf(from)]];
  const seen = new Set(paths[0]);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    // The newest first: of equally short paths, the one with the newer releases.
    paths = paths.flatMap((path) =>
      nextSeries(parseVersion(path.at(-1) ?? '')!)
        .toReversed()
        .filter((series) => !seen.has(series) && seen.add(series))
        .map((series) => [...path, series]),
    );
    const found = paths.find((path) => path.at(-1) === goal);
    if (found !== undefined) return found;
  }
  return undefined;
}
