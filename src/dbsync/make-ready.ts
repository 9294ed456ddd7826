import { NotPermittedError } from '../cli/errors.ts';
import { ACCESS_DENIED, errnoOf, type MysqlTarget } from '../platform/mysql/index.ts';
import { ensure } from './ensure.ts';
import type { Effects, Plan } from './plan.ts';
import { reach } from './reach.ts';

/** With an admin: waits for the server, ensures each database, account and grants, and tries the account. */
export async function makeReady(plan: Plan, { signal, log }: Effects): Promise<void> {
  const { admin, target, others } = plan;
  if (admin === undefined) {
    log.info('no --admin-user: database, account and grants are left alone');
    return;
  }
  await makeOne(plan, target, admin, { signal, log });
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
}

async function makeOne(
  plan: Plan,
  target: MysqlTarget,
  admin: MysqlTarget,
  { signal, log }: Pick<Effects, 'signal' | 'log'>,
): Promise<void> {
  const { timeoutMs } = plan;
  await using session = await reach(admin, { timeoutMs, signal, log });
  const { accountExisted } = await ensure(session, target, plan, log);
  try {
    await (await reach(target, { timeoutMs, signal, log, database: target.database }))[Symbol.asyncDispose]();
  } catch (error) {
    if (!accountExisted || errnoOf((error as Error).cause) !== ACCESS_DENIED) throw error;
    throw new NotPermittedError(
      `account ${target.user} was there before, with another password, which is never changed silently: ` +
        `put the right one into the service's database URL, or set this one by ALTER USER`,
      { cause: error },
    );
  }
}
