import { errnoOf, UNKNOWN_DATABASE, type MysqlSession } from '../../mysql/index.ts';
import { PHASES, type Phase } from '../../catalog/index.ts';
import { readFence } from '../lock/fence.ts';
import { askCheck } from '../steps/check.ts';
import { isBehind, isMigration } from '../phases.ts';
import { workOf, type Database, type Effects, type Tool, type Work } from '../plan.ts';
import { reach } from '../target/reach.ts';
import { readRecords, type RecordRow } from './record.ts';

/**
 * Whether there is nothing to do, found out without the lock: this very work is recorded as done, nobody has begun
 * another since that did not end well, and the tool itself says that the schema is right. The tool alone does not know
 * of steps that leave no mark in the schema; the record alone does not know of a restored backup.
 * @returns the token under which it was done; undefined when there is something to do
 */
export async function upToDateBy(plan: Work & Database & Tool, effects: Effects): Promise<number | undefined> {
  const { check, target, timeoutMs, phase, galeraDonor } = plan;
  if (check === undefined || !isPhase(phase)) return undefined;
  const { signal, log } = effects;
  const session = await reach(target, { timeoutMs, signal, log, galeraDonor, database: target.database }).catch(
    (error: unknown) => {
      // Who takes the lock says what to do about it.
      if (errnoOf((error as Error).cause) === UNKNOWN_DATABASE) return undefined;
      throw error;
    },
  );
  if (session === undefined) return undefined;
  await using held = session;
  const token = await recordedAsDone(held, plan);
  if (token === undefined) return undefined;
  const code = await askCheck(check, held, plan, effects);
  if (code === undefined || !isBehind(phase, check.codes[code])) return undefined;
  log.info(`nothing to do: token ${token} has done it, and ${check.argv.join(' ')} (exit code ${code}) agrees`, {
    token,
  });
  return token;
}

function isPhase(word: string): word is Phase {
  return (PHASES as readonly string[]).includes(word);
}

async function recordedAsDone(session: MysqlSession, plan: Work): Promise<number | undefined> {
  const fence = await readFence(session);
  // Work of its own leaves the schema as it is, however it ends.
  if (fence === undefined || (fence.state !== 'done' && isMigration(fence.phase))) return undefined;
  const records = await readRecords(session);
  const own = records.find(
    ({ service, release, phase }) => service === plan.service && release === plan.release && phase === plan.phase,
  );
  if (own?.state !== 'done' || own.work !== workOf(plan)) return undefined;
  // It stands in the fence instead of what came before it.
  const isBehindUs = ({ token, phase, state }: RecordRow) =>
    token <= own.token || state === 'done' || !isMigration(phase);
  return records.every(isBehindUs) ? own.token : undefined;
}
