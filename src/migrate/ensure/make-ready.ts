import type { Log } from '../../core/log.ts';
import type { Address } from '../../net/dial/address.ts';
import { preferring, quoteAccount, type DonorPolicy, type MysqlTarget } from '../../mysql/index.ts';
import { reach, type Reached } from '../server/reach.ts';
import { adminAt } from './admin.ts';
import { ensure, setPassword } from './ensure.ts';
import { isAccessDenied, tryLogin } from './login.ts';
import type { EnsureOptions } from '../options/ensure.ts';
import { refusedFor } from './refused.ts';

/** What to create, where, and with which account. */
interface ReadyPlan extends EnsureOptions {
  readonly target: MysqlTarget;
  /** The service's other databases. */
  readonly others: readonly MysqlTarget[];
  /** Undefined if nothing should be changed. */
  readonly admin: MysqlTarget | undefined;
  readonly timeoutMs: number;
  readonly galeraDonor: DonorPolicy;
}

interface ReadyEffects {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * With an admin account, waits for the server, ensures each database, account and grants, and tests the account's login
 * on each node.
 * @returns the plan's target, with the place just used as its first one
 * @throws what reach() and ensure() throw; NotPermittedError for a rejected account, with the reason
 */
export async function makeReady(plan: ReadyPlan, effects: ReadyEffects): Promise<MysqlTarget> {
  const { admin, target, others } = plan;
  if (admin === undefined) {
    effects.log.info('no --admin-user: database, account and grants are not changed');
    return target;
  }
  const at = await makeOne(plan, target, admin, effects);
  for (const other of others) await makeOne(plan, other, adminAt(admin, other), effects);
  return preferring(target, at);
}

async function makeOne(
  plan: ReadyPlan,
  target: MysqlTarget,
  admin: MysqlTarget,
  effects: ReadyEffects,
): Promise<Address> {
  const { timeoutMs, galeraDonor } = plan;
  const options = { timeoutMs, galeraDonor, ...effects };
  await using session = await reach(admin, options);
  const { existed } = await ensure(session, target, plan, effects.log);
  const account = preferring(target, session.at);
  const login = session.isGalera ? options : { ...options, settleMs: 0 };
  try {
    await tryLogin(account, login);
  } catch (error) {
    if (!isAccessDenied(error)) throw error;
    await rotate(session, target, existed, plan, effects, error);
    await tryLogin(account, login);
  }
  return session.at;
}

/** Sets the password of existing accounts, if the server rejected the password and --rotate was given. */
async function rotate(
  session: Reached,
  target: MysqlTarget,
  existed: readonly string[],
  plan: ReadyPlan,
  { log }: ReadyEffects,
  error: unknown,
): Promise<void> {
  const { user, password } = target;
  const refusal = await refusedFor(session, target, { ...plan, existed }, error);
  if (!refusal.isPassword || !plan.rotate) throw refusal.error;
  await setPassword(session, user, existed, password);
  const names = existed.map((host) => quoteAccount(user, host)).join(', ');
  log.warn(`the password of ${names} was changed to the URL's: replicas with the old one can't log in`);
}
