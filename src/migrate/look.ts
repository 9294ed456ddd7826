import { preferring, quoteAccount, reasonOf, errnoOf, UNKNOWN_DATABASE, type MysqlTarget } from '../mysql/index.ts';
import { adminAt } from './ensure/admin.ts';
import type { EnsureOptions } from './options/ensure.ts';
import { missingIn, type Seen } from './ensure/missing.ts';
import { isAccessDenied, tryLogin } from './ensure/login.ts';
import type { Database, Databases, Effects, Tool, Work } from './plan/plan.ts';
import { upToDateBy } from './turn/up-to-date.ts';
import { reach } from './server/reach.ts';
import { planTool, type Task, type ToolChange } from './tool/index.ts';
import { explainErrors } from './explain.ts';

/** Missing databases, accounts and grants. Empty without an admin account, because nothing would be created. */
export async function lookAtDatabase(plan: EnsureOptions & Databases, effects: Effects): Promise<Seen[]> {
  const { admin, target, others } = plan;
  if (admin === undefined) return [];
  const found = [...(await lookAtOne(plan, target, admin, effects))];
  for (const other of others) found.push(...(await lookAtOne(plan, other, adminAt(admin, other), effects)));
  return found;
}

async function lookAtOne(
  plan: EnsureOptions & Database,
  target: MysqlTarget,
  admin: MysqlTarget,
  effects: Effects,
): Promise<Seen[]> {
  const { timeoutMs, galeraDonor, rotate } = plan;
  const options = { timeoutMs, galeraDonor, signal: effects.signal, log: effects.log };
  await using session = await reach(admin, options);
  const missing = await missingIn(session, target, plan);
  if (missing.length > 0) return missing;
  try {
    await tryLogin(preferring(target, session.at), { ...options, settleMs: 0 });
    return [];
  } catch (error) {
    if (!isAccessDenied(error)) throw error;
    const why = `the server rejects the URL's password: ${reasonOf(error)}`;
    const password = { name: 'password', before: 'another', after: "the URL's" };
    const name = quoteAccount(target.user, plan.accountHost.join(', '));
    return [
      {
        action: 'update',
        kind: 'account',
        name,
        fields: [password],
        ...(rotate ? {} : { lacks: `${why}; give --rotate` }),
      },
    ];
  }
}

/**
 * The migration, if it must run.
 * @param isThere whether database and account exist
 */
export async function lookAtSchema(plan: Work & Database & Tool, isThere: boolean, effects: Effects): Promise<Seen[]> {
  const { target, phase, release, steps } = plan;
  if (steps.length === 0) return [];
  if (isThere && (await explainErrors(plan, () => upToDateBy(plan, effects), 'read')) !== undefined) return [];
  const why = !isThere
    ? 'the database does not exist yet'
    : plan.check === undefined
      ? 'its tool cannot report whether it is up to date, and changes nothing if it is'
      : 'it is not recorded as done, or the tool reports pending work';
  const fields = [
    { name: 'phase', after: phase },
    ...(release === '' ? [] : [{ name: 'release', after: release }]),
    { name: 'run', after: steps.map(({ argv }) => argv.join(' ')).join('; ') },
    { name: 'why', after: why },
  ];
  return [{ action: isThere ? 'update' : 'create', kind: 'schema', name: target.database, fields }];
}

/** The tasks of the service's own commands that are pending. */
export async function lookAtTool(
  plan: Work & Database & Tool,
  tasks: readonly Task[],
  isThere: boolean,
  effects: Effects,
): Promise<ToolChange[]> {
  if (!isThere) return await planTool(tasks, plan, undefined, effects);
  const { target, timeoutMs, galeraDonor, childEnv } = plan;
  const { signal, log } = effects;
  try {
    await using session = await reach(target, { timeoutMs, signal, log, galeraDonor, database: target.database });
    return await explainErrors(plan, () => planTool(tasks, plan, { session, childEnv }, effects), 'read');
  } catch (error) {
    if (errnoOf((error as Error).cause) !== UNKNOWN_DATABASE) throw error;
    return await planTool(tasks, plan, undefined, effects);
  }
}
