import { NotPermittedError } from '../cli/errors.ts';
import type { Address } from '../platform/address.ts';
import { ACCESS_DENIED, errnoOf, preferring, type MysqlTarget } from '../platform/mysql/index.ts';
import { ensure } from './ensure.ts';
import type { Effects, Plan } from './plan.ts';
import { reach } from './reach.ts';

/**
 * With an admin: waits for the server, ensures each database, account and grants, and tries the account.
 * @returns the plan's target, whose first place is the one that has just been used
 */
export async function makeReady(plan: Plan, { signal, log }: Effects): Promise<MysqlTarget> {
  const { admin, target, others } = plan;
  if (admin === undefined) {
    log.info('no --admin-user: database, account and grants are left alone');
    return target;
  }
  const at = await makeOne(plan, target, admin, { signal, log });
  // The same account, at each database's own server.
  const { user, password, socket } = admin;
  for (const other of others) {
    await makeOne(
      plan,
      other,
      { ...other, user, password, ...(socket === undefined ? {} : { socket }) },
      { signal, log },
    );
  }
  return preferring(target, at);
}

async function makeOne(
  plan: Plan,
  target: MysqlTarget,
  admin: MysqlTarget,
  { signal, log }: Pick<Effects, 'signal' | 'log'>,
): Promise<Address> {
  const { timeoutMs, galeraDonor } = plan;
  await using session = await reach(admin, { timeoutMs, signal, log, galeraDonor });
  const { accountExisted } = await ensure(session, target, plan, log);
  try {
    const { database } = target;
    const account = preferring(target, session.at);
    await (await reach(account, { timeoutMs, signal, log, galeraDonor, database }))[Symbol.asyncDispose]();
    return session.at;
  } catch (error) {
    if (!accountExisted || errnoOf((error as Error).cause) !== ACCESS_DENIED) throw error;
    throw new NotPermittedError(
      `account ${target.user} was there before, with another password, which is never changed silently: ` +
        `put the right one into the service's database URL, or set this one by ALTER USER`,
      { cause: error },
    );
  }
}
