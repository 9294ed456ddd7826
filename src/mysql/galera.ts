import { formatAddress, parseAddress, type Address } from '../net/dial/address.ts';
import type { RowSource } from './session.ts';

/** How a node sees itself and its cluster. For some seconds after a freeze or partition this may be outdated. */
export interface GaleraState {
  /** Whether the node's writes are replicated. */
  readonly replicates: boolean;
  readonly isReady: boolean;
  /**
   * `Primary`: the node belongs to the majority. `non-Primary`: it is partitioned from the majority. `Disconnected`:
   * see hasLeft().
   */
  readonly component: string;
  /** `Synced`, `Donor/Desynced`, `Joined`, `Joining`, `Initialized`. */
  readonly state: string;
  readonly size: number;
}

/** How a donor is treated: `ok` uses it like any other node, `wait` waits until it is Synced again. */
export const DONOR_POLICIES = ['ok', 'wait'] as const;
export type DonorPolicy = (typeof DONOR_POLICIES)[number];

const DONOR = 'Donor/Desynced';
const LEFT = 'Disconnected';

/** The node's state, or undefined if the server is not a Galera node. Works without a database and without quorum. */
export async function galeraState(session: RowSource, timeoutMs?: number): Promise<GaleraState | undefined> {
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

/**
 * Whether the node's group communication has ended, after an error or because an operator emptied
 * wsrep_cluster_address. Unlike a partitioned node, such a node does not reconnect by itself.
 */
export function hasLeft({ component }: GaleraState): boolean {
  return component === LEFT;
}

/** Why this node must not be used for writes now; undefined if it can be used. */
export function whyUnusable(node: GaleraState, donor: DonorPolicy): string | undefined {
  if (!node.replicates) return 'wsrep_on is OFF: its writes are not replicated';
  if (hasLeft(node)) return 'it has disconnected from its cluster and does not reconnect: restart it';
  if (node.component !== 'Primary') return `its part of the cluster is ${node.component}: it has no quorum`;
  if (!node.isReady) return `it is ${node.state} and not ready (wsrep_ready is OFF)`;
  if (node.state === 'Synced' || (node.state === DONOR && donor === 'ok')) return undefined;
  return `it is ${node.state}, not Synced`;
}

/** Settings that an operator has made, independent of the node's state. */
export interface GaleraSwitches {
  /** Whether the node is excluded from flow control. It is then `Donor/Desynced`, like a donor. */
  readonly isDesynced: boolean;
  /** `NONE`, `ALL` or `ALL_KILL`: whether the node rejects every query with error 1047. */
  readonly rejects: string;
}

/** The switches of a Galera node. Works without quorum. */
export async function galeraSwitches(session: RowSource): Promise<GaleraSwitches> {
  const variables = await named(
    session,
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_desync', 'wsrep_reject_queries')",
  );
  return {
    isDesynced: variables.get('wsrep_desync') === 'ON',
    rejects: variables.get('wsrep_reject_queries') ?? 'NONE',
  };
}

async function named(session: RowSource, sql: string, timeoutMs?: number): Promise<Map<string, string>> {
  const rows = await session.rows(sql, [], timeoutMs);
  return new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
}

const DEFAULT_PORT = 3306;
/** Address of a node that has no wsrep_node_address and whose address Galera could not determine. */
const UNKNOWN = 'AUTO';

/** The other nodes of a cluster. */
interface OtherNodes {
  /** The nodes' client addresses, as the nodes report them. */
  readonly places: Address[];
  /** Number of nodes whose address is unknown. */
  readonly unknown: number;
}

/** The client addresses of the other nodes, as far as they are known. */
export async function otherNodes(session: RowSource): Promise<Address[]> {
  return (await membersBeside(session)).places;
}

/** The other nodes, excluding evicted ones and arbitrators. */
export async function membersBeside(session: RowSource): Promise<OtherNodes> {
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

/** The identifier that the cluster uses for a node. */
export async function memberOf(session: RowSource): Promise<string> {
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
