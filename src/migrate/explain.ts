import { isMysqlError, mysqlError } from '../mysql/index.ts';
import type { Database } from './plan/plan.ts';

/**
 * Runs the work, and turns a server's error into one of ours.
 * @param doing the action on the database, worded to follow "cannot"
 */
export async function explainErrors<T>(
  plan: Pick<Database, 'target'>,
  work: () => Promise<T>,
  doing?: string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(plan, error, doing);
  }
}

/** A server's error as one of ours; any other error as it is. */
export function explain({ target }: Pick<Database, 'target'>, error: unknown, doing = 'migrate'): unknown {
  return isMysqlError(error) ? mysqlError(`${doing} database ${target.database}`, error) : error;
}
