import type { Context } from '../../../cli/command.ts';
import { ConfigError, UnavailableError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { KHEPRI_FLAG, optsIntoKhepri, refusalOf, removesMirroring } from '../../../rabbitmq/steps.ts';
import { compareSeries, imageVersion, parseVersion, seriesOf, type Version } from '../../../rabbitmq/version.ts';
import type { Effects } from '../../converge/effects.ts';
import { ConflictError } from '../../converge/conflict.ts';
import { adminOf } from '../transport.ts';
import { Broker, type BrokerOptions } from '../broker.ts';
import type { PrepareOptions } from './options.ts';
import { removeMirroring } from './mirroring.ts';

interface Member {
  readonly name: string;
  /** Undefined if it does not run. */
  readonly version: Version | undefined;
}

/**
 * Checks an upgrade of a running cluster to this image, and makes the cluster ready for it.
 * @throws ConfigError for an upgrade that RabbitMQ does not support; UnavailableError for a node that does not run
 */
export async function prepareUpgrade(
  options: PrepareOptions,
  { signal, log }: Pick<Context, 'signal' | 'log'>,
): Promise<void> {
  const { timeout: timeoutMs, image } = options;
  const to = imageVersion(image);
  const access = await adminOf(options);
  const effects: Effects = { signal, log, timeoutMs, deadline: AbortSignal.timeout(timeoutMs) };
  const broker = new Broker(access, effects);
  const members = await membersOf(broker, access, effects);
  const flags = new Set((await flagsOf(broker)).filter(({ state }) => state === 'enabled').map(({ name }) => name));
  for (const { name, version } of members) {
    const refusal = version && refusalOf({ from: version, to, flags });
    if (refusal !== undefined && !isCured(version!, to, flags))
      throw new ConfigError(`nothing was changed, and ${name} runs on: ${refusal}`);
  }
  const from = commonVersion(members, to);
  if (from === undefined) {
    log.info(
      `nothing to prepare: ${members.map(({ name, version }) => `${name} ${version?.text ?? 'down'}`).join(', ')}`,
    );
    return;
  }
  await enableFlags(broker, from, log);
  if (removesMirroring({ from, to })) await removeMirroring(broker, log);
  log.info(`${members.length} nodes of RabbitMQ ${from.text} are ready for ${to.text}`);
}

/** Whether the only obstacle is a feature flag that is enabled now. */
function isCured(from: Version, to: Version, flags: ReadonlySet<string>): boolean {
  return optsIntoKhepri(from) && refusalOf({ from, to, flags: new Set([...flags, KHEPRI_FLAG]) }) === undefined;
}

/** All nodes of the cluster. Each running one is asked for its version: a cluster's other nodes do not have it. */
async function membersOf(broker: Broker, access: BrokerOptions, effects: Effects): Promise<Member[]> {
  const nodes = await broker.list('/nodes');
  return await Promise.all(
    nodes.map(async ({ name, running }) => {
      if (typeof name !== 'string' || running !== true) return { name: String(name), version: undefined };
      const [first] = access.urls;
      const url = new URL(first);
      url.hostname = hostOf(name);
      const { rabbitmq_version: text } =
        (await new Broker({ ...access, urls: [url] }, effects).find('/overview')) ?? {};
      const version = parseVersion(String(text));
      if (version === undefined) throw new UnavailableError(`${name} at ${url.origin} reports no version of RabbitMQ`);
      return { name, version };
    }),
  );
}

/** Of `rabbit@HOST`. The chart's nodes have the DNS names of their Pods. */
function hostOf(node: string): string {
  const host = node.slice(node.indexOf('@') + 1);
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * The version of all nodes before the upgrade; undefined if nothing is to be prepared, since the nodes have this image's series, or
 * the upgrade was interrupted.
 * @throws UnavailableError if a node does not run, or an earlier upgrade is not complete
 */
function commonVersion(members: readonly Member[], to: Version): Version | undefined {
  const versions = members.flatMap(({ version }) => version ?? []);
  if (versions.some((version) => compareSeries(version, to) === 0)) return undefined;
  const down = members.filter(({ version }) => version === undefined).map(({ name }) => name);
  if (down.length > 0)
    throw new UnavailableError(
      `${down.join(', ')} does not run: start all nodes before an upgrade, or remove a node that is lost ` +
        '(rabbitmqctl forget_cluster_node)',
    );
  const [from] = versions;
  if (from === undefined) throw new UnavailableError("RabbitMQ's management API lists no node");
  const other = versions.find((version) => compareSeries(version, from) !== 0);
  if (other !== undefined)
    throw new UnavailableError(
      `nodes run ${seriesOf(from)} and ${seriesOf(other)}: complete that upgrade before the one to ${seriesOf(to)}`,
    );
  return from;
}

interface Flag {
  readonly name: string;
  readonly state: string;
  readonly stability: string;
}

async function flagsOf(broker: Broker): Promise<Flag[]> {
  const all = await broker.list('/feature-flags');
  return all.map(({ name, state, stability }) => ({
    name: String(name),
    state: String(state),
    stability: String(stability),
  }));
}

/** As `rabbitmqctl enable_feature_flag all` does, and with `--opt-in khepri_db`. */
async function enableFlags(broker: Broker, from: Version, log: Log): Promise<void> {
  const isWanted = ({ name, state, stability }: Flag) =>
    state === 'disabled' && (stability === 'stable' || (name === KHEPRI_FLAG && optsIntoKhepri(from)));
  for (const { name } of (await flagsOf(broker)).filter(isWanted)) {
    try {
      await broker.put(`/feature-flags/${encodeURIComponent(name)}/enable`, { name }, `enable feature flag ${name}`);
    } catch (error) {
      // RabbitMQ's reason: no other run creates this object.
      throw error instanceof ConflictError ? error.cause : error;
    }
    log.info(`feature flag ${name} enabled`);
  }
  const left = (await flagsOf(broker)).filter(isWanted).map(({ name }) => name);
  if (left.length > 0) throw new UnavailableError(`RabbitMQ did not enable the feature flags ${left.join(', ')}`);
}
