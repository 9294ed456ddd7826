import { formatAddress, parseAddress, type Address } from '../net/address.ts';
import type { MysqlSession } from './connect.ts';

/** How a node sees itself and its cluster. For some seconds after it was frozen or cut off this is not true any more. */
export interface GaleraState {
  /** Whether its writes go to the other nodes at all. */
  readonly replicates: boolean;
  readonly isReady: boolean;
  /** `Primary`: it belongs to the majority. */
  readonly component: string;
  /** `Synced`, `Donor/Desynced`, `Joined`, `Joining`, `Initialized`. */
  readonly state: string;
  readonly size: number;
}

/** What a donor is good for: `ok`, used as any other; `wait`, not used until it is Synced again. */
export const DONOR_POLICIES = ['ok', 'wait'] as const;
export type DonorPolicy = (typeof DONOR_POLICIES)[number];

const DONOR = 'Donor/Desynced';

/** The node's state, or undefined for a server that is no Galera node. Works without a database and without quorum. */
export async function galeraState(session: MysqlSession, timeoutMs?: number): Promise<GaleraState | undefined> {
  const variables = await named(
    session,
    "SHOW VARIABLES WHERE Variable_name IN ('wsrep_provider', 'wsrep_on')",
    timeoutMs,
  );
  const provider = variables.get('wsrep_provider') ?? '';
  if (provider === '' || provider === 'none') return undefined;
  const status = await named(
    session,
    `SHOW GLOBAL STATUS WHERE Variable_name IN
       ('wsrep_ready', 'wsrep_cluster_status', 'wsrep_local_state_comment', 'wsrep_cluster_size')`,
    timeoutMs,
  );
  return {
    replicates: variables.get('wsrep_on') === 'ON',
    isReady: status.get('wsrep_ready') === 'ON',
    component: status.get('wsrep_cluster_status') ?? '',
    state: status.get('wsrep_local_state_comment') ?? '',
    size: Number(status.get('wsrep_cluster_size') ?? 0),
  };
}

/** Why nothing should be written through this node now; undefined when it can be used. */
export function whyUnusable(node: GaleraState, donor: DonorPolicy): string | undefined {
  if (!node.replicates) return 'wsrep_on is OFF: what is written there stays there';
  if (node.component !== 'Primary') return `its part of the cluster is ${node.component}: it has no quorum`;
  if (!node.isReady) return `it is ${node.state} and not ready (wsrep_ready is OFF)`;
  if (node.state === 'Synced' || (node.state === DONOR && donor === 'ok')) return undefined;
  return `it is ${node.state}, not Synced`;
}

/** What an operator may have told a node to do, whatever its state. */
export interface GaleraSwitches {
  /** Whether it no longer holds the others back when it falls behind. It is `Donor/Desynced` then, as a donor is. */
  readonly isDesynced: boolean;
  /** `NONE`, `ALL` or `ALL_KILL`: of which queries it refuses every one with error 1047. */
  readonly rejects: string;
}

/** The switches of a Galera node. Works without quorum. */
export async function galeraSwitches(session: MysqlSession): Promise<GaleraSwitches> {
  const variables = await named(
    session,
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_desync', 'wsrep_reject_queries')",
  );
  return {
    isDesynced: variables.get('wsrep_desync') === 'ON',
    rejects: variables.get('wsrep_reject_queries') ?? 'NONE',
  };
}

async function named(session: MysqlSession, sql: string, timeoutMs?: number): Promise<Map<string, string>> {
  const rows = await session.rows(sql, [], timeoutMs);
  return new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
}

const DEFAULT_PORT = 3306;
/** Of a node without wsrep_node_address whose own address Galera could not find out. */
const UNKNOWN = 'AUTO';

/** The other nodes of a cluster. */
interface OtherNodes {
  /** Where they take clients, as they say themselves. */
  readonly places: Address[];
  /** How many there are that do not say where: they know no address of their own. */
  readonly unknown: number;
}

/** Where the other nodes of the cluster take clients, as far as they say so. */
export async function otherNodes(session: MysqlSession): Promise<Address[]> {
  return (await membersBeside(session)).places;
}

/** The other nodes, without those that the cluster has given up, and without arbitrators. */
export async function membersBeside(session: MysqlSession): Promise<OtherNodes> {
  const status = await named(
    session,
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_incoming_addresses', 'wsrep_local_index')",
  );
  const words = (status.get('wsrep_incoming_addresses') ?? '').split(',').map((word) => word.trim());
  const own = Number(status.get('wsrep_local_index'));
  const others = words.filter((word, index) => index !== own && word !== '');
  const known = others.filter((word) => word !== UNKNOWN);
  return { places: known.map(placeOf), unknown: others.length - known.length };
}

/** By which the cluster itself tells its nodes apart. */
export async function memberOf(session: MysqlSession): Promise<string> {
  const status = await named(session, "SHOW GLOBAL STATUS LIKE 'wsrep_gcomm_uuid'");
  return status.get('wsrep_gcomm_uuid') ?? '';
}

function placeOf(word: string): Address {
  try {
    return parseAddress(word);
  } catch {
    return parseAddress(formatAddress({ host: word, port: DEFAULT_PORT }));
  }
}
