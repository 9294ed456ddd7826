import { errnoOf, UNKNOWN_DATABASE } from '../../mysql/index.ts';
import { knownRelease, PHASES, RELEASES, type Phase } from '../../catalog/index.ts';
import { readFence, type Claim, type FenceRow } from '../fence/fence.ts';
import { askCheck } from '../steps/check.ts';
import { isBehind, isMigration } from '../plan/phases.ts';
import { workOf, type Database, type Effects, type Tool, type Work } from '../plan/plan.ts';
import { reach } from '../server/reach.ts';
import { readRecords, type RecordRow } from '../record/record.ts';
import { requireWayBack } from './way-back.ts';

/** The record, as read without the lock. */
export interface RecordLook {
  /** The token under which this work was recorded as done; undefined if it was not. */
  readonly doneBy: number | undefined;
  /** Whether the tool or, after a newer release has begun, the record confirms that, so that there is nothing to do. */
  readonly isUpToDate: boolean;
}

/**
 * Checks without the lock whether there is nothing to do: this work is recorded as done, no other work started since
 * has failed, and the tool confirms that the schema is up to date. The tool alone does not know of steps without a
 * trace in the schema; the record alone does not know of a restored backup. After a newer release has begun, the tool is
 * not asked: passedIn().
 * @returns undefined if only running the command shows whether there is something to do
 */
export async function lookAtRecord(plan: Work & Database & Tool, effects: Effects): Promise<RecordLook | undefined> {
  const { check, isCommand, target, timeoutMs, phase, release, galeraDonor } = plan;
  if (!isPhase(phase) || isCommand === true || (check === undefined && knownRelease(release) === undefined))
    return undefined;
  const { signal, log } = effects;
  const session = await reach(target, { timeoutMs, signal, log, galeraDonor, database: target.database }).catch(
    (error: unknown) => {
      // Taking the lock reports how to fix this.
      if (errnoOf((error as Error).cause) === UNKNOWN_DATABASE) return undefined;
      throw error;
    },
  );
  if (session === undefined) return { doneBy: undefined, isUpToDate: false };
  await using held = session;
  // In this order: what begins in between shows in the records.
  const fence = await readFence(held);
  const records = await readRecords(held);
  requireWayBack(records, plan);
  const passed = passedIn(records, plan);
  if (passed !== undefined) {
    const { token } = passed;
    log.info(`nothing to do: token ${token} has done it, and a newer release has added to the schema since`, { token });
    return { doneBy: token, isUpToDate: true };
  }
  if (check === undefined) return undefined;
  const doneBy = doneIn(records, fence, { ...plan, work: workOf(plan) })?.token;
  if (doneBy === undefined) return { doneBy, isUpToDate: false };
  const code = await askCheck(check, held, plan, effects);
  if (code === undefined || !isBehind(phase, check.codes[code])) return { doneBy, isUpToDate: false };
  log.info(`nothing to do: token ${doneBy} has done it, and ${check.argv.join(' ')} (exit code ${code}) agrees`, {
    token: doneBy,
  });
  return { doneBy, isUpToDate: true };
}

/**
 * The record of this phase, or of the complete migration, if a newer release has begun since, and has only added to the
 * schema: going back, the older release's tool does not know the newer revision, and fails. A restored backup has no such records.
 */
export function passedIn(
  records: readonly RecordRow[],
  { service, release, phase }: Pick<Work, 'service' | 'release' | 'phase'>,
): RecordRow | undefined {
  const isOwn = (row: RecordRow) => row.release === release && (row.phase === phase || row.phase === 'all');
  const of = records.filter((row) => row.service === service && isMigration(row.phase));
  const own = of.find((row) => isOwn(row) && row.state === 'done');
  if (own === undefined) return undefined;
  const later = of.filter((row) => row.token > own.token && row.release !== release);
  const isAddition = (row: RecordRow) =>
    (row.phase === 'expand' || row.phase === 'migrate') && positionOf(row.release) > positionOf(release);
  return positionOf(release) !== -1 && later.length > 0 && later.every(isAddition) ? own : undefined;
}

/** Of a release, by its name or that of a tag; -1 if it is not known. */
function positionOf(text: string): number {
  return (RELEASES as readonly (string | undefined)[]).indexOf(knownRelease(text));
}

/** The token under which this work was done, if there is nothing to do; otherwise undefined. */
export async function upToDateBy(plan: Work & Database & Tool, effects: Effects): Promise<number | undefined> {
  const look = await lookAtRecord(plan, effects);
  return look?.isUpToDate === true ? look.doneBy : undefined;
}

function isPhase(word: string): word is Phase {
  return (PHASES as readonly string[]).includes(word);
}

/**
 * The record of this work, if it is done and nothing after it may have changed the schema.
 * @param records read after the fence
 * @param fence undefined if there is none
 */
export function doneIn(
  records: readonly RecordRow[],
  fence: FenceRow | undefined,
  { service, release, phase, work }: Omit<Claim, 'holder'>,
): RecordRow | undefined {
  // Work other than a migration leaves the schema unchanged, whatever its result.
  if (fence === undefined || (fence.state !== 'done' && isMigration(fence.phase))) return undefined;
  const own = records.find((row) => row.service === service && row.release === release && row.phase === phase);
  if (own?.state !== 'done' || own.work !== work) return undefined;
  // Each holder replaces its predecessor's entry in the fence, so all records are checked.
  const isBehindUs = (row: RecordRow) => row.token <= own.token || row.state === 'done' || !isMigration(row.phase);
  return records.every(isBehindUs) ? own : undefined;
}
