import { formatDuration } from '../../core/duration.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { unlessAborted } from '../../core/abort.ts';
import { formatAddress, type Address } from '../../net/dial/address.ts';
import { pause } from '../../core/backoff.ts';
import { connect, isMysqlError, reasonOf, type MysqlSession, type MysqlTarget } from '../../mysql/index.ts';
import type { Reached } from '../server/reach.ts';
import { statusLine } from '../../cli/status-line.ts';
import { nodesOf, unseenNodes } from './nodes.ts';
import { markSession } from '../fence/sessions.ts';

const HANDSHAKE_MS = 3000;
const STATEMENT_MS = 10_000;
const POLL_MS = 250;

export interface EveryNodeOptions {
  /** The login used on each node. */
  readonly target: MysqlTarget;
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The action on each node, worded to follow "cannot": `look for the sessions of keystone`. */
  readonly doing: string;
  /**
   * How many consecutive checks must find nothing. The default is 2, because a session that is logging in is not
   * visible yet.
   */
  readonly looks?: number;
}

/** Returns what remains on one node; undefined if nothing. */
type OnNode = (node: MysqlSession) => Promise<string | undefined>;

/**
 * Repeats an action on each node of the cluster until nothing remains on any of them. The nodes are those that the
 * cluster currently lists: an evicted node cannot commit any more; a listed but unreachable node is retried.
 * @throws UnavailableError at the deadline, with what remains on each node
 */
export async function onEveryNode(session: Reached, options: EveryNodeOptions, work: OnNode): Promise<void> {
  const { deadline, signal, log, doing, looks = 2 } = options;
  await using sessions = new AsyncDisposableStack();
  const open = new Map<string, MysqlSession>();
  const say = statusLine(log);
  const began = performance.now();
  let clean = 0;
  for (;;) {
    const left: string[] = [];
    const look = async (node: MysqlSession) => {
      signal.throwIfAborted();
      // A node that freezes meanwhile must not delay our exit.
      const waiting = await unlessAborted(work(node), signal);
      if (waiting !== undefined) left.push(waiting);
    };
    await look(session);
    const looked: MysqlSession[] = [session];
    const nodes = session.isGalera ? await nodesOf(session, options.target.places) : undefined;
    for (const place of nodes?.places ?? []) {
      const name = formatAddress(place);
      try {
        let node = open.get(name);
        if (node === undefined || node.lost.aborted) {
          node = sessions.use(await nodeAt(place, options));
          open.set(name, node);
        }
        await look(node);
        looked.push(node);
      } catch (error) {
        signal.throwIfAborted();
        if (!isMysqlError(error)) throw error;
        left.push(`cannot ${doing} on node ${name}: ${reasonOf(error)}`);
      }
    }
    const unseen = nodes && (await unseenNodes(nodes, looked));
    if (unseen !== undefined) left.push(unseen);
    clean = left.length === 0 ? clean + 1 : 0;
    if (clean === looks) return;
    if (left.length > 0) {
      const text = left.join('; ');
      if (performance.now() > deadline) {
        throw new UnavailableError(`waited ${formatDuration(performance.now() - began)}: ${text}`);
      }
      say(`waiting: ${text}`);
    }
    await pause(POLL_MS, signal);
  }
}

async function nodeAt(place: Address, { target, signal }: EveryNodeOptions): Promise<MysqlSession> {
  const { socket: _, places: __, ...account } = target;
  const options = { signal, database: target.database, handshakeMs: HANDSHAKE_MS, statementMs: STATEMENT_MS };
  const node = await connect({ ...account, ...place }, options);
  try {
    await markSession(node, STATEMENT_MS);
    // Changes that other nodes have committed before, such as an account lock, are applied on this node before we read.
    await node.change('SET SESSION wsrep_sync_wait = 7', [], STATEMENT_MS);
    return node;
  } catch (error) {
    node.destroy();
    throw error;
  }
}
