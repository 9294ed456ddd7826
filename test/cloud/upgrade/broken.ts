/**
 * A revision that fails: what the last one of Heat 2026.1 adds is there already.
 *
 *   column -> helm upgrade -> the revisions before it, then its Job fails at the first try, and so does Helm; the log has the
 *     database's words, and the old Pods serve -> column dropped -> the caller's helm upgrade resumes with the last revision
 */
import assert from 'node:assert/strict';
import { helm } from '../../../tools/helm.ts';
import { chartArguments } from '../install.ts';
import type { Stage } from '../stage.ts';
import { schemasOf, type Sql } from './schemas.ts';

const SERVICE = 'heat';
/** 97b2a986f922 (2026.1): make snapshot state aware. */
const ADD = 'ALTER TABLE heat.snapshot ADD COLUMN action VARCHAR(255)';
const DROP = 'ALTER TABLE heat.snapshot DROP COLUMN action';
const WORDS = /Duplicate column name 'action'/;

/** @param files values of the upgrade  @returns what was seen, for the timeline */
export async function failOnce(stage: Stage, to: string, files: readonly string[], sql: Sql): Promise<string> {
  const serving = await podsOf(stage);
  await sql(ADD);
  const args = ['upgrade', ...chartArguments(stage, SERVICE, to, files), '--wait', '--timeout', '25m'];
  const { code, stderr } = await helm(stage.directory, args, stage.node.kubeconfig);
  assert.notEqual(code, 0, 'helm upgrade passed');
  assert.match(stderr, /heat-bootstrap-/);
  const jobs = await failedJobs(stage);
  const [job] = jobs;
  assert.ok(job !== undefined && jobs.length === 1, `failed Jobs: ${jobs.map((one) => one.metadata.name).join(', ')}`);
  assert.equal(job.status.failed, 1, 'the Job was tried again');
  assert.match(await stage.kubectl(['logs', `job/${job.metadata.name}`, '--all-containers', '--tail=-1']), WORDS);
  assert.deepEqual(await podsOf(stage), serving, 'the Pods that served were replaced');
  const revision = (await schemasOf(sql)).find(({ database }) => database === SERVICE)?.revision;
  await sql(DROP);
  return `at ${revision}: ${/Error: (.*)/.exec(stderr)?.[1]}; the same ${serving.length} Pods`;
}

interface Job {
  readonly metadata: { readonly name: string };
  readonly status: { readonly failed?: number; readonly conditions?: readonly { readonly type: string }[] };
}

async function failedJobs(stage: Stage): Promise<Job[]> {
  const words = ['get', 'jobs', `--selector=app.kubernetes.io/instance=${SERVICE}`, '--output=json'];
  const { items } = JSON.parse(await stage.kubectl(words)) as { items: Job[] };
  return items.filter(({ status }) => status.conditions?.some(({ type }) => type === 'Failed'));
}

/** The unique names of Heat's Pods, without those of Jobs. */
async function podsOf(stage: Stage): Promise<string[]> {
  const selector = `app.kubernetes.io/instance=${SERVICE},pod-template-hash`;
  const path = '--output=jsonpath={range .items[*]}{.metadata.uid}{"\\n"}{end}';
  return (await stage.kubectl(['get', 'pods', `--selector=${selector}`, path])).trim().split('\n').toSorted();
}
