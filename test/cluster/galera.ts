/**
 * A real Galera cluster:
 *
 *   programs (Debian's packages, unpacked) -> data of a newly bootstrapped cluster (cached) -> one copy each -> the first
 *     bootstraps, the others join by incremental transfer -> every node Synced
 *
 * All nodes are on 127.0.0.1 with free ports (SQL, group, incremental and snapshot transfer) and a unique cluster name,
 * so that concurrent clusters cannot connect even if a port is reused. The nodes run as the test's user. Errors: no
 * apt; a node that does not start, with the end of its log.
 */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePorts } from '../../tools/port.ts';
import { until } from '../support/until.ts';
import { configurationIn, withMariabackup } from './galera-configuration.ts';
import { foundedData } from './galera-data.ts';
import { galeraNode, type GaleraNode } from './galera-node.ts';
import { galeraPrograms } from './galera-programs.ts';
import type { GaleraVersion } from './server-versions.ts';

export type { GaleraNode } from './galera-node.ts';

export interface GaleraOptions {
  readonly nodes?: number;
  /**
   * How soon a silent node is suspected and evicted: `quick` after 2 and 4 s; `real` after Galera's default 5 and 15 s.
   */
  readonly timing?: 'quick' | 'real';
  /** A my.cnf to use; state transfers then use mariabackup. */
  readonly configuration?: string;
  /** The version of MariaDB, whose suite also has Galera; by default the selected one. */
  readonly version?: GaleraVersion;
}

export interface Galera extends AsyncDisposable {
  readonly nodes: readonly GaleraNode[];
  readonly rootPassword: string;
  /** Resolves when all nodes are Synced and in one component. */
  waitWhole(): Promise<void>;
  /** Resolves when every node has applied what any of them has committed before, such as an account. */
  waitApplied(): Promise<void>;
}

/** Twice as quick as Galera's own, and no quicker: a busy machine may hold a node back for seconds, which would split the cluster. */
const QUICK = [
  'evs.keepalive_period=PT0.5S',
  'evs.inactive_check_period=PT0.5S',
  'evs.suspect_timeout=PT5S',
  'evs.inactive_timeout=PT8S',
];
const PORTS_PER_NODE = 4;

/** Tested by downloading it and bootstrapping a cluster. */
export const canRunGalera: Capability = async () => {
  try {
    await foundedData(await galeraPrograms());
    return undefined;
  } catch (error) {
    return `no Galera: ${messageOf(error)}`;
  }
};

/** Starts a cluster and returns when every node is Synced. */
export async function startGalera({
  nodes: count = 3,
  timing = 'quick',
  configuration: text,
  version,
}: GaleraOptions = {}): Promise<Galera> {
  const base = await galeraPrograms(version);
  const data = await foundedData(base);
  const directory = await privateDirectory('galera', inMemory());
  const programs = text === undefined ? base : await withMariabackup(base, directory.path);
  const configuration = text === undefined ? undefined : await configurationIn(directory.path, text);
  const free = await freePorts(count * PORTS_PER_NODE);
  const portsOf = (index: number) => {
    const [sql, group, incremental, snapshot] = free.slice(index * PORTS_PER_NODE) as [number, number, number, number];
    return { sql, group, incremental, snapshot };
  };
  const common = {
    programs,
    configuration,
    directory: directory.path,
    foundedData: data,
    rootPassword: randomBytes(16).toString('hex'),
    cluster: `kolla-pod-${randomBytes(6).toString('hex')}`,
    groupPorts: Array.from({ length: count }, (_, index) => portsOf(index).group),
    timing: timing === 'quick' ? QUICK : [],
  };
  const nodes: GaleraNode[] = [];
  const end = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await directory[Symbol.asyncDispose]();
  };
  try {
    for (let index = 0; index < count; index++) {
      const plan = { ...common, name: `n${index + 1}`, ports: portsOf(index) };
      nodes.push(await galeraNode(plan, () => nodes.filter(({ name }) => name !== plan.name)));
    }
    // The nodes join one after the other, because two concurrent joins delay each other by 5 s.
    for (const [index, node] of nodes.entries()) await node.start(index === 0);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    nodes,
    rootPassword: common.rootPassword,
    async waitWhole() {
      await until('all nodes to be one cluster', async () => {
        await Promise.all(nodes.map((node) => node.waitSynced()));
        const sizes = await Promise.all(nodes.map((node) => node.status('wsrep_cluster_size')));
        return sizes.every((size) => size === String(count)) ? true : undefined;
      });
    },
    async waitApplied() {
      await Promise.all(nodes.map((node) => node.query('SET wsrep_sync_wait = 7; SELECT 1 FROM mysql.user LIMIT 1')));
    },
    [Symbol.asyncDispose]: end,
  };
}
