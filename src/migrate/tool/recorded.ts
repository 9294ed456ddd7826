import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { errnoOf, NO_SUCH_TABLE, quoteName, type MysqlSession } from '../../mysql/index.ts';
import { workOf } from '../plan/plan.ts';
import { readRecords, type RecordRow } from '../record/record.ts';
import type { RecordedDone, Task } from './task.ts';

/** Where a task is recorded. */
export interface Site {
  readonly service: string;
  readonly release: string;
}

const SALT_BYTES = 8;
const DIGEST_BYTES = 16;

/** The release under which a task is recorded. */
export function releaseOf({ once }: RecordedDone, { release }: Site): string {
  return once === 'ever' ? '' : release;
}

/** The phase under which a task is recorded; at most 32 characters. */
export function phaseOf({ name }: Pick<Task, 'name'>): string {
  return `tool:${name}`;
}

/**
 * Equal for the same command lines and values. Secrets are included as a salted scrypt digest, since the record is in
 * the database that also stores the account's own hash.
 */
export function newWork(task: Task): string {
  const secrets = secretsOf(task);
  if (secrets === '') return plainWork(task);
  const salt = randomBytes(SALT_BYTES);
  return [plainWork(task), salt.toString('base64url'), digestOf(secrets, salt).toString('base64url')].join('.');
}

/** Whether a record describes the same work. */
export function isSameWork(recorded: string, task: Task): boolean {
  const [plain, salt, digest] = recorded.split('.');
  if (plain !== plainWork(task)) return false;
  const secrets = secretsOf(task);
  if (salt === undefined || digest === undefined) return secrets === '';
  const before = Buffer.from(digest, 'base64url');
  return before.length === DIGEST_BYTES && timingSafeEqual(before, digestOf(secrets, Buffer.from(salt, 'base64url')));
}

/** Why a task must run, according to the records and the table that it fills; undefined if it is done. */
export async function whyNotDone(
  session: MysqlSession,
  task: Task,
  done: RecordedDone,
  site: Site,
): Promise<string | undefined> {
  const records = await readRecords(session);
  const row = recordIn(records, phaseOf(task), releaseOf(done, site), site);
  const isWithin = row?.state !== 'done' && isDoneWithin(records, done, site);
  if (!isWithin) {
    if (row === undefined) return notRecorded(done, site);
    if (row.state !== 'done') return `the last time it ${row.state === 'running' ? 'was interrupted' : row.state}`;
    if (!isSameWork(row.work, task)) return 'its values differ from those it was done with';
  }
  if (done.fills !== undefined && !(await hasRows(session, done.fills))) return `table ${done.fills} is empty`;
  return undefined;
}

/** Whether a table of the session's database exists and has a row. */
export async function hasRows(session: MysqlSession, table: string): Promise<boolean> {
  try {
    return (await session.rows(`SELECT 1 FROM ${quoteName(table)} LIMIT 1`)).length > 0;
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return false;
    throw error;
  }
}

function notRecorded({ once }: RecordedDone, { release }: Site): string {
  return once === 'ever' || release === ''
    ? 'it is not recorded as done'
    : `it is not recorded as done for release ${release}`;
}

function recordIn(records: readonly RecordRow[], phase: string, release: string, { service }: Site) {
  return records.find((row) => row.service === service && row.release === release && row.phase === phase);
}

/** Whether a full migration has already done the same for this release. */
function isDoneWithin(records: readonly RecordRow[], { within }: RecordedDone, site: Site): boolean {
  if (within === undefined) return false;
  const row = recordIn(records, 'all', site.release, site);
  return row?.state === 'done' && row.work === workOf({ ...site, phase: 'all', steps: within });
}

function plainWork({ steps, shown }: Task): string {
  const values = Object.entries(shown).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const work = JSON.stringify([steps.map(({ argv }) => argv), values]);
  return createHash('sha256').update(work).digest('hex').slice(0, 16);
}

function secretsOf({ secrets }: Task): string {
  const values = Object.entries(secrets);
  return values.length === 0 ? '' : JSON.stringify(values);
}

function digestOf(secrets: string, salt: Buffer): Buffer {
  return scryptSync(secrets, salt, DIGEST_BYTES);
}
