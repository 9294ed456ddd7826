import { formatDuration } from '../../core/duration.ts';
import { UnavailableError, messageOf } from '../../core/errors.ts';
import { pause } from '../../core/backoff.ts';
import type { FenceRow } from '../lock/fence.ts';
import { STOP_MS } from '../steps/guarded-child.ts';
import type { Databases, Effects, LockTerms } from '../plan.ts';
import type { Reached } from '../target/reach.ts';
import { forEachLogin, isConclusive, type Login } from './client.ts';
import { endAccounts } from './end-account.ts';
import { onEveryNode } from './every-node.ts';
import { killSession, listOf, ownClient, sessionsOf, type SeenSession } from './sessions.ts';
import { readTrace, type Left } from './trace.ts';

/**
 * One that lost the lock although it lives (an administrator's KILL, a server's restart) sees that at once, and its
 * command is gone after STOP_MS; this much more for a machine under load.
 */
const HANDOVER_MS = STOP_MS + 3000;
/** The server sees within this that a client is dead. */
const SETTLE_MS = 3000;

/** The fence as it was found. */
interface Before {
  readonly before: FenceRow;
  /** Whether its holder, if it was cut off, has had the time to stop its command. */
  readonly hasLeasePassed?: boolean;
}

type PredecessorEffects = Pick<Effects, 'signal' | 'log' | 'redact'>;

/**
 * Makes sure that the migration that was cut off writes nothing any more, and that no session of the live service is
 * touched:
 *   it had an account of its own and we are admin: the account is locked, and its sessions are killed on every node
 *   it came from an address without any other client: the sessions from there are killed on every node
 *   neither: its statements are waited for; when sessions are left that may be its, an operator has to judge
 * @returns the accounts of older migrations that stay, because something has them as its definer
 * @throws UnavailableError with the list of sessions, and what to do
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
  const deadline = performance.now() + plan.timeoutMs;
  const end = async (names: string[], isOver = false) =>
    plan.admin === undefined ? names : await endAccounts(plan, plan.admin, names, { deadline, signal, log, isOver });
  if (client === '') {
    // What can't be dropped now is harmless.
    return await end(accounts, true).catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn(`account ${accounts.join(', ')} can't be dropped now: ${messageOf(error)}`);
      return accounts;
    });
  }
  log.warn(`the migration before was cut off: ${before.holder}, begun ${before.started} UTC, token ${before.token}`);
  if (plan.predecessorEnded === token) {
    log.warn(`taken for ended, as --predecessor-ended ${token} says`);
    // The operator has looked: a node that can't be reached is not waited for.
    return await end(accounts, true);
  }
  if (account !== '') {
    if (plan.admin !== undefined) return await end(accounts);
    throw new UnavailableError(
      `the migration that was cut off (token ${token}) ran as account ${account}, and only an admin can end its sessions: ` +
        `give --admin-user; or lock the account, KILL its sessions on every node, and give --predecessor-ended ${token}`,
    );
  }
  const hasEnded = left.token === before.token && before.state !== 'running';
  const options = { left, signal, log, redact };
  await forEachLogin(plan, session, { signal, log }, async (login) => {
    if (isConclusive(left, await ownClient(login.session))) return await killFrom(login, { ...options, deadline });
    // Where a lease has passed, so has this time.
    if (!hasLeasePassed && before.state === 'running') {
      log.info(`waiting ${formatDuration(HANDOVER_MS)}, in which its command is stopped if it still runs`);
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

/** Kills the account's sessions that come from where the migration came, until there is none on any node. */
async function killFrom({ target, session }: Login, options: FromOptions): Promise<void> {
  const { client } = options.left;
  const doing = `look for sessions of ${target.user} from ${client}`;
  await onEveryNode(session, { ...options, target, doing }, async (node) => {
    const found = (await sessionsOf(node, target.user)).filter((seen) => seen.client === client);
    for (const { id } of found) await killSession(node, id);
    if (found.length === 0) return undefined;
    const list = options.redact(listOf(found));
    options.log.info(`killed what the migration before left: ${list}`);
    return `killed, and not gone yet: ${list}`;
  });
}

/**
 * Waits for the statements that a dead command left running (an ALTER goes on without its client). A dead client has no
 * idle session for long, and begins no statement: one that is idle, and was there at first, lives.
 * `hasEnded`: its helper has said how it ended, so that its command is gone, and what is idle is not its.
 */
async function awaitFrom(
  { target, session }: Login,
  options: FromOptions & { readonly hasEnded: boolean },
): Promise<void> {
  const { left, hasEnded, redact } = options;
  const settled = performance.now() + SETTLE_MS;
  const first = new Map<unknown, Set<number>>();
  let round: SeenSession[] = [];
  const doing = `look for sessions of ${target.user} from ${left.client}`;
  await onEveryNode(session, { ...options, target, doing }, async (node) => {
    // A round begins with our own node. One that lives may be at work in the moment of the look: the list has all of the round.
    if (node === session) {
      if (round.some(({ isIdle }) => isIdle)) throw mayBeIts(target.user, left.token, redact(listOf(round)));
      round = [];
    }
    const all = (await sessionsOf(node, target.user)).filter((seen) => seen.client === left.client);
    const known = first.get(node) ?? new Set(all.map(({ id }) => id));
    first.set(node, known);
    if (hasEnded) for (const { id, isIdle } of all) if (isIdle) known.delete(id);
    const found = all.filter(({ id }) => known.has(id));
    if (performance.now() > settled) round = [...round, ...found];
    return found.length === 0 ? undefined : `statements that may be of the migration before: ${redact(listOf(found))}`;
  });
}

function mayBeIts(user: string, token: number, list: string): UnavailableError {
  return new UnavailableError(
    `these sessions of ${user} may be the service's, or the migration's that was cut off (token ${token}): ${list}. ` +
      `KILL those that are the migration's, and run this with --predecessor-ended ${token}; ` +
      `with --admin-user a migration has an account of its own, and this can't happen`,
  );
}
