/**
 * Something for `contract` to do: no release since 2024.1 has a contract revision, but Keystone of 2025.1 runs on the schema
 * that 2023.1 left, with the unique keys that Keystone's last contract revisions drop.
 *
 *   keys, column and revisions as 2023.1 left them -> upgrade -> again and again: are the keys there, which Pods are of
 *     the old release -> keys are dropped only after the last old Pod is gone
 */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import type { Sql } from './schemas.ts';

/** What the revisions 99de3849d860 and c88cdce8f248 (contract) and 47147121 (expand) changed, changed back. */
const AS_OF_2023_1 = [
  'ALTER TABLE keystone.access_rule ADD UNIQUE KEY access_rule_external_id_key (external_id)',
  'ALTER TABLE keystone.project_tag ADD UNIQUE KEY project_id (project_id, name)',
  'ALTER TABLE keystone.trust DROP KEY duplicate_trust_constraint, ADD UNIQUE KEY duplicate_trust_constraint_expanded ' +
    '(trustor_user_id, trustee_user_id, project_id, impersonation, expires_at, expires_at_int)',
  'ALTER TABLE keystone.mapping DROP COLUMN schema_version',
  "UPDATE keystone.alembic_version SET version_num = 'e25ffa003242' WHERE version_num = 'c88cdce8f248'",
  "UPDATE keystone.alembic_version SET version_num = '29e87d24a316' WHERE version_num = '47147121'",
];
const KEYS =
  "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema = 'keystone' AND index_name IN " +
  "('access_rule_external_id_key', 'project_id', 'duplicate_trust_constraint_expanded')";
const PAUSE_MS = 200;

/** Makes the schema of 2023.1 of that of 2025.1. */
export async function makeOldSchema(sql: Sql): Promise<string> {
  await sql(AS_OF_2023_1.join('; '));
  return (await keysOf(sql)).join(', ');
}

/** The old unique keys that are there. */
export async function keysOf(sql: Sql): Promise<string[]> {
  return (await sql(KEYS)).map(([name = '']) => name).toSorted();
}

export interface ContractWatch {
  /** Ends it. @returns what was seen, for the timeline. Throws if a key went before an old Pod, or none went. */
  assertOrder(): Promise<string>;
}

/** Watches an upgrade of Keystone from a release. */
export function watchContract(stage: Stage, sql: Sql, from: string): ContractWatch {
  const end = new AbortController();
  const seen = watch(stage, sql, from, end.signal);
  // Awaited in assertOrder.
  seen.catch(() => {});
  return {
    async assertOrder() {
      end.abort();
      const { early, withOld, count } = await seen;
      assert.deepEqual(early, []);
      assert.ok(withOld > 0, 'no old Pod was seen');
      assert.deepEqual(await keysOf(sql), []);
      return `looked ${count} times, ${withOld} of them with an old Pod and each key; now no key`;
    },
  };
}

async function watch(stage: Stage, sql: Sql, from: string, signal: AbortSignal) {
  const early: string[] = [];
  const before = (await keysOf(sql)).length;
  let [withOld, count] = [0, 0];
  assert.ok(before > 0, 'there is no key to drop');
  while (!signal.aborted) {
    // Keys first: an old Pod seen afterwards was there when they were gone.
    const keys = await keysOf(sql);
    const old = await oldPods(stage, from);
    count++;
    if (old.length > 0 && keys.length < before) early.push(`${keys.join(' ')}: ${old.join(' ')}`);
    if (old.length > 0) withOld++;
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
  return { early, withOld, count };
}

/** Keystone's API Pods of a release, also those that are terminating. */
async function oldPods(stage: Stage, release: string): Promise<string[]> {
  const labels = `app.kubernetes.io/instance=keystone,app.kubernetes.io/version=${release},pod-template-hash`;
  const names = await stage.kubectl(['get', 'pods', `--selector=${labels}`, '--output=name']);
  return names.split('\n').filter((name) => name !== '');
}
