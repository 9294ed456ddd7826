import assert from 'node:assert/strict';
import type { Sql } from '../upgrade/schemas.ts';

/** Every migration of every database has ended well, and no session holds a lock. @returns the databases */
export async function assertLocksFree(sql: Sql): Promise<string> {
  const tables = await sql("SELECT table_schema FROM information_schema.tables WHERE table_name = 'kolla_pod_fence'");
  const databases = tables.map(([database = '']) => database).toSorted();
  assert.ok(databases.length > 0);
  const rows = databases.map((database) => `SELECT '${database}', name, state FROM \`${database}\`.kolla_pod_fence`);
  const states = await sql(rows.join(' UNION ALL '));
  assert.deepEqual(
    states.filter(([, , state]) => state !== 'done'),
    [],
  );
  return `${states.length} migrations done in ${databases.join(', ')}`;
}
