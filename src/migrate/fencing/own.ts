import { UnavailableError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { unlessAborted } from '../../core/abort.ts';
import { isDenied, reasonOf } from '../../mysql/index.ts';
import { adminAt } from '../ensure/admin.ts';
import { tryLogin } from '../ensure/login.ts';
import { renewFence } from '../fence/fence.ts';
import type { Databases, Tool } from '../plan/plan.ts';
import { reach, type Reached } from '../server/reach.ts';
import { accountNameOf, dropAccount, makeAccount, randomPassword, type Credentials } from '../fence/account.ts';
import { isAlone } from './client.ts';
import { lackedToEnd } from './may-end.ts';
import { endAccounts, serversOf } from './end-account.ts';
import { nameOf, ownClient } from '../fence/sessions.ts';
import { forgetAccount, writeTrace, type Trace } from './trace.ts';

interface Held {
  readonly session: Reached;
  readonly token: number;
}

interface OwnEffects {
  readonly signal: AbortSignal;
  readonly log: Log;
}

const CONFIRM_MS = 10_000;
const TAKEN = 'another migrator has taken the lock: nothing was started here';

/**
 * Records what distinguishes our command's sessions from the service's, then creates its account and tests its login on
 * each node. In this order, a successor knows of an account before it exists.
 * @returns undefined if the command runs as the service's own account
 */
export async function beginOwn(
  plan: Databases & Tool,
  { session, token }: Held,
  kept: readonly string[],
  { signal, log }: OwnEffects,
): Promise<Credentials | undefined> {
  const client = await ownClient(session);
  const lockSession = await nameOf(session);
  const write = async (trace: Omit<Trace, 'client' | 'kept' | 'lockSession'>) => {
    if (!(await writeTrace(session, token, { client, kept, lockSession, ...trace }))) throw new UnavailableError(TAKEN);
  };
  if (plan.admin !== undefined && plan.injectsAccount === true) {
    const { user, database } = plan.target;
    const account = { user: accountNameOf(user, database, token), password: randomPassword() };
    await write({ account: account.user, isAlone: false });
    if (await makeEverywhere(plan, account, { signal, log })) {
      // The fence is confirmed again: if this process froze before it created the account, a successor may have checked
      // for the account before it existed.
      if (await renewFence(session, token, CONFIRM_MS)) return account;
      await dropEverywhere(plan, account, { signal, log });
      throw new UnavailableError(TAKEN);
    }
  }
  await write({ account: '', isAlone: await isAlone(plan, session, client, { signal, log }) });
  return undefined;
}

/** Returns false if the admin may not create accounts. */
async function makeEverywhere(plan: Databases, account: Credentials, effects: OwnEffects): Promise<boolean> {
  const { timeoutMs, galeraDonor } = plan;
  for (const { target, databases } of serversOf(plan)) {
    // Each server knows only the user of its own databases.
    const service = { user: target.user, hosts: plan.accountHost };
    try {
      await using admin = await reach(adminAt(plan.admin!, target), { timeoutMs, galeraDonor, ...effects });
      const lacked = await lackedToEnd(admin);
      if (lacked !== undefined) {
        effects.log.warn(`the command runs as the service's own account: ${plan.admin!.user} lacks ${lacked}`);
        return false;
      }
      await makeAccount(admin, account, service, databases);
    } catch (error) {
      if (!isDenied((error as Error).cause ?? error)) throw error;
      effects.log.warn(`the command runs as the service's own account: ${reasonOf(error)}`);
      return false;
    }
    await tryLogin({ ...target, ...account }, { timeoutMs, galeraDonor, ...effects });
  }
  effects.log.info(`the command runs as account ${account.user}, which is dropped at the end`);
  return true;
}

async function dropEverywhere(plan: Databases, { user }: Credentials, effects: OwnEffects): Promise<void> {
  const { timeoutMs, galeraDonor } = plan;
  for (const { target } of serversOf(plan)) {
    await using admin = await reach(adminAt(plan.admin!, target), { timeoutMs, galeraDonor, ...effects });
    await dropAccount(admin, user, plan.accountHost);
  }
}

/**
 * Drops our account and ends its sessions, after our command has exited and that was recorded. If this fails, the next
 * run does it; until then the account stays in the fence row.
 */
export async function endOwn(
  plan: Databases,
  { session, token }: Held,
  names: readonly string[],
  { timeoutMs, isOver, signal: asked, log }: OwnEffects & { readonly timeoutMs: number; readonly isOver: boolean },
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), asked]);
  try {
    const deadline = performance.now() + timeoutMs;
    const kept = await unlessAborted(endAccounts(plan, plan.admin!, names, { deadline, signal, log, isOver }), signal);
    if (!session.lost.aborted) await forgetAccount(session, token, kept);
  } catch (error) {
    const why = signal.aborted ? 'the server did not answer in time' : reasonOf(error);
    log.warn(`account ${names.join(', ')} is left for the next run to drop: ${why}`);
  }
}
