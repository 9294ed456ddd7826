/**
 * A way back before `contract`: Keystone's new Pods fit on no node.
 *
 *   helm upgrade, without waiting -> expand and migrate are done, contract waits for the rollout, the old Pods serve
 *   -> helm rollback -> the old release, with its own Pods and Jobs; no key of the old schema is gone
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { helm } from '../../../tools/helm.ts';
import { until } from '../../support/until.ts';
import { chartArguments } from '../install.ts';
import { NAMESPACE, type Stage } from '../stage.ts';
import { keysOf } from './contract.ts';
import type { Sql } from './schemas.ts';

const TOO_LARGE = { workloads: { api: { resources: { requests: { memory: '1Ti' } } } } };

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: { readonly phase: string };
}

/** @param files values of the upgrade  @returns what was seen, for the timeline */
export async function goBack(stage: Stage, to: string, files: readonly string[], sql: Sql): Promise<string> {
  const serving = await podsOf(stage);
  const tooLarge = join(stage.directory, 'too-large.json');
  await writeFile(tooLarge, JSON.stringify(TOO_LARGE));
  const keys = await keysOf(sql);
  await run(stage, ['upgrade', ...chartArguments(stage, 'keystone', to, [...files, tooLarge]), '--timeout', '25m']);
  const said = await until('contract to wait for the rollout', async (saw) => {
    const log = await stage
      .kubectl(['logs', '--selector=app.kubernetes.io/component=db-contract', '--tail=-1'])
      .catch(String);
    saw(log.slice(-300));
    return /waiting for the rollout of deployment\/keystone: [^"]*/.exec(log)?.[0];
  });
  await until('a new Pod that is not scheduled', async (saw) => {
    const pods = await podsOf(stage);
    saw(pods.map(({ metadata, status }) => `${metadata.name} ${status.phase}`).join(', '));
    return pods.some(({ status }) => status.phase === 'Pending') || undefined;
  });
  await run(stage, ['rollback', 'keystone', '--namespace', NAMESPACE, '--wait', '--wait-for-jobs', '--timeout', '25m']);
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).toSorted();
  assert.deepEqual(names(await podsOf(stage)), names(serving), 'the Pods that served were replaced');
  assert.deepEqual(await keysOf(sql), keys);
  return `${said}; after the rollback the same ${serving.length} Pods`;
}

async function run(stage: Stage, args: readonly string[]): Promise<void> {
  const { code, stderr } = await helm(stage.directory, args, stage.node.kubeconfig);
  assert.equal(code, 0, `helm ${args[0]}: ${stderr.slice(-1000)}`);
}

async function podsOf(stage: Stage): Promise<Pod[]> {
  const labels = 'app.kubernetes.io/instance=keystone,pod-template-hash';
  return (JSON.parse(await stage.kubectl(['get', 'pods', `--selector=${labels}`, '--output=json'])) as { items: Pod[] })
    .items;
}
