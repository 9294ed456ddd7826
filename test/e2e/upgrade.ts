/** Helpers for upgrade tests besides the commands of their page: age the database and query Keystone continuously. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../src/core/errors.ts';
import type { Stage } from './keystone-pod.ts';

/** The last revision of Keystone's schema before migration phases: the upgrade then has work to do. */
export const BEFORE_PHASES = '27e647c0fad4';

/** The table with the schema revision, as in a database of that release. */
export async function undoPhases({ mariadb }: Stage, database: string): Promise<void> {
  await mariadb.query(`DELETE FROM ${database}.alembic_version`);
  await mariadb.query(`INSERT INTO ${database}.alembic_version VALUES ('${BEFORE_PHASES}')`);
}

/**
 * Sends requests one after the other until disposed.
 * @param options.pauseMs pause between a response and the next request, so that a machine with two CPUs is not kept
 * busy
 * @param options.scene additional diagnostics, taken right after a failure
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
        throw new Error(`request ${count + 1} failed at ${at}: ${messageOf(cause)}${seen}`, { cause });
      }
      count += 1;
      if (pauseMs > 0) await pause(pauseMs);
    }
  })();
  ended.catch(() => {}); // thrown on dispose
  return {
    count: () => count,
    async [Symbol.asyncDispose]() {
      over.abort();
      await ended;
    },
  };
}
