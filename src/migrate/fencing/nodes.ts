import { formatAddress, type Address } from '../../net/dial/address.ts';
import { memberOf, membersBeside, type MysqlSession } from '../../mysql/index.ts';

/** The nodes of a cluster other than the session's own, as far as their addresses are known. */
interface Nodes {
  readonly places: readonly Address[];
  /** Number of nodes in the cluster, including this one. */
  readonly count: number;
  /** Whether some nodes have no known address. The given nodes must then be checked and counted. */
  readonly isPartial: boolean;
}

/** The nodes that the cluster lists. If some of them are unknown, also those given with `--host`. */
export async function nodesOf(
  session: MysqlSession & { readonly at: Address },
  given: readonly Address[] = [],
): Promise<Nodes> {
  const { places, unknown } = await membersBeside(session);
  const isPartial = unknown > 0;
  const own = formatAddress(session.at);
  const all = new Map([...places, ...(isPartial ? given : [])].map((place) => [formatAddress(place), place]));
  all.delete(own);
  return { places: isPartial ? [...all.values()] : places, count: 1 + places.length + unknown, isPartial };
}

/** A message about nodes that were not checked because their addresses are unknown; undefined if there are none. */
export async function unseenNodes(
  { count, isPartial }: Nodes,
  looked: readonly MysqlSession[],
): Promise<string | undefined> {
  if (!isPartial) return undefined;
  // A node that is given by name and by address counts once.
  const seen = new Set(await Promise.all(looked.map((node) => memberOf(node))));
  const left = count - seen.size;
  if (left <= 0) return undefined;
  return (
    `${left} of the cluster's ${count} nodes do not report their address (AUTO in ` +
    'wsrep_incoming_addresses): set wsrep_node_address on them, or give each node by --host'
  );
}
