import { ExitCode, ConfigError } from '../core/errors.ts';
import { converge, lineOf, type PartName } from '../provision/index.ts';
import { explainErrors, makeReady, syncReady, underLock, type Locked } from '../migrate/index.ts';
import type { Job } from './job.ts';
import { lookAt, partEffects, syncEffects } from './look.ts';

/** The parts before the schema and those after it. Each group takes the lock once. */
const BEFORE: readonly PartName[] = ['queue', 'keys'];
const AFTER: readonly PartName[] = ['tool', 'users', 'endpoints'];

/** Ensures every selected part, in order. */
export async function runJob(job: Job): Promise<ExitCode> {
  const { sync, chosen, context, service } = job;
  const { log, signal } = context;
  const effects = syncEffects(job, { signal, log });
  if (sync !== undefined && chosen.includes('database')) {
    await explainErrors(sync.plan, () => makeReady(sync.plan, effects), 'ensure');
  }
  let changes = await ensureGroup(job, BEFORE);
  if (sync !== undefined && chosen.includes('schema')) {
    if (sync.plan.steps.length === 0) log.info(`schema: ${service.name} has no phase ${sync.plan.phase}`);
    else await syncReady(sync.plan, effects);
  }
  changes += await ensureGroup(job, AFTER);
  log.info(changes === 0 ? 'up to date' : 'now up to date');
  return ExitCode.ok;
}

/**
 * Reads parts first without the lock, and takes it only for a difference.
 * @returns the number of changes
 * @throws ConfigError for missing input, before anything is changed
 */
async function ensureGroup(job: Job, names: readonly PartName[]): Promise<number> {
  const { log, signal } = job.context;
  const looks = await lookAt(job, names, partEffects(job, signal), true);
  for (const { part, changes } of looks) if (changes.length === 0) log.info(`${part}: nothing to do`);
  const due = looks.filter(({ changes }) => changes.length > 0);
  if (due.length === 0) return 0;
  const short = due.flatMap(({ changes }) => changes).find(({ lacks }) => lacks !== undefined);
  if (short !== undefined) throw new ConfigError(`cannot ${lineOf(short)}: ${short.lacks}`);
  const parts = due.map(({ part }) => part);
  let made = 0;
  await locked(job, parts, async (held, lock) => {
    made = await ensureParts(job, parts, held, lock);
  });
  return made;
}

async function ensureParts(
  job: Job,
  names: readonly PartName[],
  signal: AbortSignal,
  lock: Locked | undefined,
): Promise<number> {
  const effects = partEffects(job, signal);
  using elsewhere = job.open(names, effects);
  let made = 0;
  for (const name of names) {
    const part = elsewhere.parts.find((each) => each.name === name);
    // Without a database there is no lock, and readJob() has left out the part `tool`.
    const changes = part === undefined ? ((await lock?.runTool(job.tasks)) ?? 0) : await converge(part, effects);
    const what = changes === 0 ? 'nothing left to do' : `${changes === 1 ? '1 change' : `${changes} changes`} made`;
    job.context.log.info(`${name}: ${what}`);
    made += changes;
  }
  return made;
}

/** Runs the work under the lock of the service's database, or without a lock if the database is unknown. */
async function locked(
  job: Job,
  parts: readonly PartName[],
  work: (signal: AbortSignal, lock: Locked | undefined) => Promise<void>,
): Promise<void> {
  const { signal, log } = job.context;
  if (job.sync === undefined) return await work(signal, undefined);
  const phase = `bootstrap:${parts.join(',')}`;
  await underLock(job.sync.plan, phase, syncEffects(job, { signal, log }), (lock) => work(lock.signal, lock));
}
