import { formatDuration } from '../../core/duration.ts';
import { UnavailableError, messageOf } from '../../core/errors.ts';
import { pause } from '../../core/backoff.ts';
import type { FenceRow } from '../fence/fence.ts';
import { STOP_MS } from '../child/guarded-child.ts';
import type { Databases, Effects, LockTerms } from '../plan/plan.ts';
import type { Reached } from '../server/reach.ts';
import { isAccountOf } from '../fence/account.ts';
import { forEachLogin, isConclusive, type Login } from './client.ts';
import { endAccounts } from './end-account.ts';
import { onEveryNode } from './every-node.ts';
import { killSession, listOf, ownClient, sessionsOf, type SeenSession } from '../fence/sessions.ts';
import { edited, readTrace, type Left } from './trace.ts';

/**
 * Time for a process that lost the lock while it was alive (because of an administrator's KILL or a server restart). It
 * notices at once, and its command has exited after STOP_MS; a margin is added for a loaded machine.
 */
const HANDOVER_MS = STOP_MS + 3000;
/** Time within which the server detects that a client has exited. */
const SETTLE_MS = 3000;

/** The fence as it was found. */
interface Before {
  readonly before: FenceRow;
  /** Whether the fence's holder, if interrupted, has had enough time to stop its command. */
  readonly hasLeasePassed?: boolean;
}

type PredecessorEffects = Pick<Effects, 'signal' | 'log' | 'redact'>;

/**
 * Ensures that the interrupted migration can no longer write, without touching a session of the live service:
 *
 *   it had its own account and we have an admin: the account is locked, and its sessions are killed on every node
 *   its address had no other client: the sessions from there are killed on every node
 *   neither: waits for its statements to end; if sessions remain that may belong to it, an operator must decide
 * @returns the accounts of older migrations that are kept as definers
 * @throws UnavailableError with the list of sessions and the fix
 */
export async function fencePredecessor(
  plan: Databases & LockTerms,
  session: Reached,
  { before, hasLeasePassed = session.isGalera }: Before,
  { signal, log, redact }: PredecessorEffects,
): Promise<string[]> {
  if (before.state === 'new') return [];
  const left = await readTrace(session);
  const { account, kept, client, token } = left;
  const accounts = [...kept, ...(account === '' ? [] : [account])];
  const foreign = accounts.find((name) => !isAccountOf(plan.target, name));
  if (foreign !== undefined) {
    const { user, database } = plan.target;
    throw edited(foreign === account ? 'account' : 'kept', foreign, ` of database ${database} by ${user}`);
  }
  const deadline = performance.now() + plan.timeoutMs;
  const end = async (names: string[], isOver = false) =>
    plan.admin === undefined ? names : await endAccounts(plan, plan.admin, names, { deadline, signal, log, isOver });
  if (client === '') {
    // An account that cannot be dropped now does no harm.
    return await end(accounts, true).catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn(`account ${accounts.join(', ')} can't be dropped now: ${messageOf(error)}`);
      return accounts;
    });
  }
  log.warn(
    `the previous migration was interrupted: ${before.holder}, started ${before.started} UTC, token ${before.token}`,
  );
  if (plan.predecessorEnded === token) {
    log.warn(`treated as ended, by --predecessor-ended ${token}`);
    // The operator has verified that the migration has ended, so unreachable nodes are not waited for.
    return await end(accounts, true);
  }
  if (account !== '') {
    if (plan.admin !== undefined) return await end(accounts);
    throw new UnavailableError(
      `the interrupted migration (token ${token}) ran as account ${account}, and only an admin can end its sessions: ` +
        `give --admin-user; or lock the account, KILL its sessions on every node, and give --predecessor-ended ${token}`,
    );
  }
  const hasEnded = left.token === before.token && before.state !== 'running';
  const options = { left, signal, log, redact };
  await forEachLogin(plan, session, { signal, log }, async (login) => {
    if (isConclusive(left, await ownClient(login.session))) return await killFrom(login, { ...options, deadline });
    // Not needed after a lease has expired, because the command has had at least that time to stop.
    if (!hasLeasePassed && !hasEnded) {
      log.info(`waiting ${formatDuration(HANDOVER_MS)}, the time for its command to stop if it is still running`);
      await pause(HANDOVER_MS, signal);
    }
    await awaitFrom(login, { ...options, hasEnded, deadline: performance.now() + plan.lockTimeoutMs });
  });
  return await end(accounts);
}

interface FromOptions extends PredecessorEffects {
  readonly left: Left;
  readonly deadline: number;
}

/** Kills the account's sessions from the migration's address until no node has any. */
async function killFrom({ target, session }: Login, options: FromOptions): Promise<void> {
  const { client } = options.left;
  const doing = `find sessions of ${target.user} from ${client}`;
  await onEveryNode(session, { ...options, target, doing }, async (node) => {
    const found = (await sessionsOf(node, target.user)).filter((seen) => seen.client === client);
    for (const { id } of found) await killSession(node, id);
    if (found.length === 0) return undefined;
    const list = options.redact(listOf(found));
    options.log.info(`killed processes of the previous migration: ${list}`);
    return `killed, and not gone yet: ${list}`;
  });
}

/**
 * Waits for statements left running by a dead command (an ALTER continues without its client). A dead client keeps no
 * idle session for long, and starts no statement: an idle session that was there from the start belongs to a live
 * client. `hasEnded`: the helper recorded the migration's end, so its command has exited, and idle sessions belong to
 * other clients.
 */
async function awaitFrom(
  { target, session }: Login,
  options: FromOptions & { readonly hasEnded: boolean },
): Promise<void> {
  const { left, hasEnded, redact } = options;
  const settled = performance.now() + SETTLE_MS;
  const first = new Map<unknown, Set<number>>();
  let round: SeenSession[] = [];
  let isSettled = false;
  const doing = `find sessions of ${target.user} from ${left.client}`;
  await onEveryNode(session, { ...options, target, doing }, async (node) => {
    // A round starts with our own node. A live session may be busy at the moment of a poll: the list covers the whole
    // round.
    if (node === session) {
      if (isSettled && round.some(({ isIdle }) => isIdle))
        throw mayBeIts(target.user, left.token, redact(listOf(round)));
      round = [];
      isSettled = performance.now() > settled;
    }
    const all = (await sessionsOf(node, target.user)).filter((seen) => seen.client === left.client);
    const known = first.get(node) ?? new Set(all.map(({ id }) => id));
    first.set(node, known);
    if (hasEnded) for (const { id, isIdle } of all) if (isIdle) known.delete(id);
    const found = all.filter(({ id }) => known.has(id));
    round = [...round, ...found];
    return found.length === 0
      ? undefined
      : `statements that may belong to the previous migration: ${redact(listOf(found))}`;
  });
}

function mayBeIts(user: string, token: number, list: string): UnavailableError {
  return new UnavailableError(
    `these sessions of ${user} may be the service's, or the interrupted migration's (token ${token}): ` +
      `${list}. KILL those that are the migration's, and run this with --predecessor-ended ${token}; with ` +
      '--admin-user each migration has a separate account, which prevents this',
  );
}
