import { formatAddress, type Address } from '../../net/address.ts';
import { memberOf, membersBeside, type MysqlSession } from '../../mysql/index.ts';

/** The nodes of a cluster beside the session's own, as far as anybody knows where they are. */
interface Nodes {
  readonly places: readonly Address[];
  /** How many the cluster has, our own among them. */
  readonly count: number;
  /** Whether some do not say where they are: then those that were given are to be looked at, and counted. */
  readonly isPartial: boolean;
}

/** Those that the cluster names; where it does not know some, those that were given (`--host`) as well. */
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

/** What is to be said of nodes that were not checked, as their addresses are unknown; undefined when there are none. */
export async function unseenNodes(
  { count, isPartial }: Nodes,
  looked: readonly MysqlSession[],
): Promise<string | undefined> {
  if (!isPartial) return undefined;
  // One that was given by name and by address is one.
  const seen = new Set(await Promise.all(looked.map((node) => memberOf(node))));
  const left = count - seen.size;
  if (left <= 0) return undefined;
  return (
    `${left} of the cluster's ${count} nodes do not say where they are (AUTO in wsrep_incoming_addresses): ` +
    'set wsrep_node_address on them, or give each node by --host'
  );
}
