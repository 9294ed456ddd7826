import { hintOf, reasonOf, type MysqlSession } from '../../mysql/index.ts';
import type { Databases, Effects, Tool, Work } from '../plan/plan.ts';
import { readRecords } from '../record/record.ts';
import { readVersions } from '../schema/versions.ts';
import type { Reached } from '../server/reach.ts';
import { askCheck } from './check.ts';
import type { LastLines, Revision, ServerError } from './last-lines.ts';

/** Table exists, duplicate column, duplicate key: the object that should be created already exists. */
const IN_THE_WAY = new Set([1050, 1060, 1061]);
const MOST_NAMES = 8;
const ANSWER_MS = 10_000;

/** What a database contains. */
interface Standing {
  readonly database: string;
  readonly tables: readonly string[];
  /** Alembic's recorded revisions: several if there are branches, none if nothing is recorded. */
  readonly versions: readonly string[];
}

/** Whether an object that the command wanted to create was there, so that it fails again until the schema is repaired. */
export function isPartiallyApplied({ serverError }: LastLines): boolean {
  return serverError !== undefined && IN_THE_WAY.has(serverError.errno);
}

/**
 * Diagnoses why a command failed, from its output: the server's error, its meaning, and the revision being applied. If
 * an object already exists, reports the state and what an operator can do. The step is never retried, because the
 * existing object may differ from the one to create.
 * @param session the session that holds the lock, which may be lost by now
 * @returns undefined if the output has no server error
 */
export async function explainFailure(
  output: LastLines,
  session: Reached,
  plan: Pick<Work, 'service'> & Pick<Databases, 'target' | 'others'> & Tool,
  effects: Pick<Effects, 'signal' | 'log' | 'redact'>,
): Promise<string | undefined> {
  const { serverError: error, revision } = output;
  if (!isPartiallyApplied(output)) return meaningOf(error, revision);
  const databases = [plan.target, ...plan.others].map(({ database }) => database);
  const standing = await standingIn(session, databases).catch((failed: unknown) => reasonOf(failed));
  return meaningOf(error, revision, standing, [
    await lastDone(session, plan.service).catch(() => ''),
    await whatIsNext(session, plan, effects).catch(() => ''),
  ]);
}

/** The phase of the service that was completed last. */
async function lastDone(session: MysqlSession, service: string): Promise<string> {
  const done = (await readRecords(session)).find((row) => row.service === service && row.state === 'done');
  if (done === undefined) return `Nothing of ${service} is recorded as done.`;
  const { phase, release, ended = '', token } = done;
  return `Recorded as done last: ${phase}${release === '' ? '' : ` of release ${release}`}, ${ended.replace(/\.\d+$/, '')} UTC, token ${token}.`;
}

/** The result of the tool's schema check; '' if it has none. */
async function whatIsNext(
  session: Reached,
  tool: Tool,
  effects: Pick<Effects, 'signal' | 'log' | 'redact'>,
): Promise<string> {
  const { check } = tool;
  if (check === undefined) return '';
  const code = await askCheck(check, session, tool, effects);
  if (code === undefined) return '';
  const next = check.codes[code];
  const says =
    next === undefined || next === 'error'
      ? 'cannot determine the next phase'
      : next === 'complete'
        ? 'reports no pending phase'
        : `reports ${next} as the next phase`;
  return `${check.argv.join(' ')} ${says} (exit code ${code}).`;
}

/**
 * The same diagnosis from known facts. `standing` may be the reason why the state could not be read; `known` contains
 * more sentences.
 */
export function meaningOf(
  error: ServerError | undefined,
  revision?: Revision,
  standing: readonly Standing[] | string = [],
  known: readonly string[] = [],
): string | undefined {
  if (error === undefined) return undefined;
  const said = `error ${error.errno} of the server: ${error.text}`;
  const hint = hintOf(error.errno, error.text);
  const name = revision === undefined ? '' : `${revision.id}${revision.title === '' ? '' : ` (${revision.title})`}`;
  if (!IN_THE_WAY.has(error.errno)) {
    return [said, hint, name === '' ? undefined : `it was applying revision ${name}`]
      .filter((part) => part !== undefined)
      .join('; ');
  }
  const isBlank =
    typeof standing !== 'string' && standing.length > 0 && standing.every((each) => each.versions.length === 0);
  return [
    `${said}. The schema is partially applied: a migration was interrupted there, or another tool created it.`,
    typeof standing === 'string'
      ? `The existing objects cannot be read: ${standing}.`
      : standing.map(described).join(' '),
    name === '' ? '' : `Missing: everything that revision ${name} had not created yet, and all later revisions.`,
    ...known,
    'Nothing was undone, and running it again does not help: restore the backup, or finish that revision by hand and ' +
      `stamp it with the service's tool${isBlank ? '; if the service never ran on it, drop the database and run this again' : ''}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function described({ database, tables, versions }: Standing): string {
  const names = tables.slice(0, MOST_NAMES).join(', ');
  const more = tables.length > MOST_NAMES ? ' and more' : '';
  const version = versions.length === 0 ? 'no version is recorded' : `version ${versions.join(', ')}`;
  return `In ${database}: ${tables.length} tables (${names}${more}), ${version}.`;
}

async function standingIn(session: MysqlSession, databases: readonly string[]): Promise<Standing[]> {
  const rows = await session.rows(
    `SELECT TABLE_SCHEMA AS db, TABLE_NAME AS name FROM information_schema.TABLES
     WHERE TABLE_SCHEMA IN (?) AND TABLE_NAME NOT LIKE 'kolla\\_pod\\_%' ORDER BY TABLE_NAME`,
    [databases],
    ANSWER_MS,
  );
  const found: Standing[] = [];
  for (const database of new Set(rows.map(({ db }) => String(db)))) {
    const tables = rows.filter(({ db }) => db === database).map(({ name }) => String(name));
    const ours = tables.filter((name) => !name.startsWith('alembic_version'));
    found.push({ database, tables: ours, versions: await versionsIn(session, database, tables) });
  }
  return found;
}

async function versionsIn(session: MysqlSession, database: string, tables: readonly string[]): Promise<string[]> {
  const versions: string[] = [];
  for (const table of tables.filter((name) => name.startsWith('alembic_version')))
    versions.push(...((await readVersions(session, database, table)) ?? []));
  return versions;
}
