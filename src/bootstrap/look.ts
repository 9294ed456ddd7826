import { type Change, type Effects, type PartName, settledPlan } from '../provision/index.ts';
import { lookAtDatabase, lookAtSchema, lookAtTool, type Effects as SyncEffects } from '../migrate/index.ts';
import type { Job } from './job.ts';

/** The changes of one part. */
interface Look {
  readonly part: PartName;
  readonly changes: readonly Change[];
}

/**
 * Reads these parts, in order, without the lock, and changes nothing.
 * @param isThere whether the database and the schema are known to exist; otherwise both are checked
 */
export async function lookAt(job: Job, names: readonly PartName[], effects: Effects, isThere?: true): Promise<Look[]> {
  const { sync, tasks, chosen } = job;
  using elsewhere = job.open(names, effects);
  const looks: Look[] = [];
  let isMade = true;
  for (const part of chosen.filter((name) => names.includes(name))) {
    const other = elsewhere.parts.find(({ name }) => name === part);
    if (other !== undefined) looks.push({ part, changes: await settledPlan(other, effects) });
    if (sync === undefined) continue;
    const own = syncEffects(job, effects);
    if (part === 'database') {
      const changes = await lookAtDatabase(sync.plan, own);
      isMade = changes.length === 0;
      looks.push({ part, changes });
    } else if (part === 'schema') {
      looks.push({ part, changes: await lookAtSchema(sync.plan, isMade, own) });
    } else if (part === 'tool' && tasks.length > 0) {
      looks.push({ part, changes: await lookAtTool(sync.plan, tasks, isThere ?? isMade, own) });
    }
  }
  return looks;
}

/** The context for src/migrate, with the same signal. */
export function syncEffects({ redact, context }: Job, { signal, log }: Pick<Effects, 'signal' | 'log'>): SyncEffects {
  return { signal, log, redact, live: context.live };
}

/** The context for parts in other servers: limited by the signal and the time limit of one part. */
export function partEffects({ options, context }: Job, signal: AbortSignal): Effects {
  const { timeout: timeoutMs } = options;
  return { signal, log: context.log, timeoutMs, deadline: AbortSignal.timeout(timeoutMs) };
}
