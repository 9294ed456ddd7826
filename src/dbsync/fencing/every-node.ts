import type { Log } from '../cli/log.ts';
import { formatAddress, parseAddress, type Address } from '../platform/address.ts';
import { connect, reasonOf, type MysqlSession, type MysqlTarget } from '../platform/mysql/index.ts';
import type { Reached } from './reach.ts';

const HANDSHAKE_MS = 3000;
const STATEMENT_MS = 10_000;

/**
 * A session on each other node of the cluster, by the addresses that the nodes themselves give for clients. One that
 * the cluster has given up is not among them: nothing that runs there can be committed. One that we can't reach is said.
 */
export async function otherNodes(
  session: Reached,
  target: MysqlTarget,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<MysqlSession[]> {
  const [row] = await session.rows("SHOW GLOBAL STATUS LIKE 'wsrep_incoming_addresses'");
  const list = row?.['Value'];
  const words = typeof list === 'string' ? list.split(',') : [];
  const { socket: _, places: __, ...account } = target;
  const found: MysqlSession[] = [];
  for (const word of words) {
    try {
      const place = placeOf(word);
      if (place.host === session.at.host && place.port === session.at.port) continue;
      const options = { signal, database: target.database, handshakeMs: HANDSHAKE_MS, statementMs: STATEMENT_MS };
      found.push(await connect({ ...account, ...place }, options));
    } catch (error) {
      signal.throwIfAborted();
      log.warn(`cannot look at node ${word} for statements of the migration before: ${reasonOf(error)}`);
    }
  }
  return found;
}

function placeOf(word: string): Address {
  try {
    return parseAddress(word);
  } catch {
    return parseAddress(formatAddress({ host: word, port: 3306 }));
  }
}
