/** What tests of an upgrade do besides the commands of their page: they age the database, and ask Keystone all the time. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './keystone-pod.ts';

/** The last revision of Keystone's schema before it had phases: what an upgrade then has to do. */
export const BEFORE_PHASES = '27e647c0fad4';

/** The schema's revisions as a database of that time has them. */
export async function undoPhases({ mariadb }: Stage, database: string): Promise<void> {
  await mariadb.query(`DELETE FROM ${database}.alembic_version`);
  await mariadb.query(`INSERT INTO ${database}.alembic_version VALUES ('${BEFORE_PHASES}')`);
}

/**
 * Asks again and again, one after the other, until it is disposed of.
 * @param options.pauseMs between an answer and the next question: who has two processors must not be kept busy by being asked
 * @param options.scene what else the failure tells: how things stand right after it
 */
export function asking(
  ask: () => Promise<void>,
  { pauseMs = 0, scene }: { readonly pauseMs?: number; readonly scene?: () => Promise<string> } = {},
): { readonly count: () => number } & AsyncDisposable {
  const over = new AbortController();
  let count = 0;
  const ended = (async () => {
    while (!over.signal.aborted) {
      try {
        await ask();
      } catch (cause) {
        const at = new Date().toISOString();
        const seen = scene === undefined ? '' : `\n${await scene().catch(String)}`;
        throw new Error(`number ${count + 1} failed at ${at}${seen}`, { cause });
      }
      count += 1;
      if (pauseMs > 0) await pause(pauseMs);
    }
  })();
  ended.catch(() => {}); // thrown when it is disposed of
  return {
    count: () => count,
    async [Symbol.asyncDispose]() {
      over.abort();
      await ended;
    },
  };
}
