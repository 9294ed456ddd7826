import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartNames, packageChart } from '../../build/charts.ts';
import { helm } from '../../tools/helm.ts';
import { isReady, type PodState } from '../aio/openstack.ts';
import { NAMESPACE, type Stage } from './stage.ts';
import type { Timeline } from './timeline.ts';

const EXAMPLES = new URL('../../k8s/examples/cloud/', import.meta.url);
/** The values of a cloud with stand-ins. */
export const GLOBALS: string = fileURLToPath(new URL('globals.yml', EXAMPLES));
/** Those of a cloud in which virtual machines run. */
const WITH_GUESTS: string = fileURLToPath(new URL('guest.yml', EXAMPLES));
/** Limit for one chart; on a loaded machine all take a few minutes. */
const TIMEOUT = '25m';
const SHOWN_PODS = 4;

/** Installs all charts at once, unchanged: each Pod waits for its dependencies. */
export async function installCharts(stage: Stage, files: readonly string[], timeline: Timeline): Promise<string> {
  const names = chartNames();
  await Promise.all(
    names.map(async (name) => {
      await runChart(stage, 'install', name, stage.release, files);
      timeline.say(`chart ${name} is ready`);
    }),
  );
  const pods = await podsOf(stage);
  return `${names.length} charts, ${pods.filter((pod) => isReady(pod)).length} Pods ready`;
}

/**
 * Installs or upgrades a chart, and waits for it.
 * @param files values in addition to those of the cloud
 */
export async function runChart(
  stage: Stage,
  verb: 'install' | 'upgrade',
  name: string,
  release: string,
  files: readonly string[],
): Promise<void> {
  const wait = ['--wait', '--wait-for-jobs', '--timeout', TIMEOUT];
  const args = [verb, ...chartArguments(stage, name, release, files), ...wait];
  const { code, stdout, stderr } = await helm(stage.directory, args, stage.node.kubeconfig);
  await writeFile(join(stage.directory, `${name}.log`), stdout + stderr);
  if (code !== 0) throw new Error(`helm ${verb} ${name}: ${stderr.slice(-1000)}\n${await whatIsWrong(stage)}`);
}

/** What a stage's values depend on. */
export type Described = Pick<Stage, 'release' | 'storage'>;

/** The file with the values of the stage's cloud. */
export function globalsOf({ storage }: Described): string {
  return storage === undefined ? GLOBALS : WITH_GUESTS;
}

/** Of helm install and upgrade: the chart's name, its package, and values in addition to those of the cloud. */
export function chartArguments(stage: Stage, name: string, release: string, files: readonly string[]): string[] {
  const values = [globalsOf(stage), ...files].flatMap((file) => ['--values', file]);
  const chart = packageChart(name, join(stage.directory, 'charts'));
  return [name, chart, '--namespace', NAMESPACE, ...values, '--set-string', `global.tag=${release}`];
}

/** All Pods of the namespace, without those of Jobs. */
export async function podsOf(stage: Stage): Promise<PodState[]> {
  const { items } = JSON.parse(await stage.kubectl(['get', 'pods', '--output=json'])) as { items: PodState[] };
  return items.filter(({ metadata }) => metadata.labels?.['batch.kubernetes.io/job-name'] === undefined);
}

/** Pods that are not Ready, with the last lines of each container. */
export async function whatIsWrong(stage: Stage): Promise<string> {
  const parts = [await stage.kubectl(['get', 'pods,jobs', '--output=wide'])];
  const { items } = JSON.parse(await stage.kubectl(['get', 'pods', '--output=json'])) as { items: PodState[] };
  const unready = items.filter((pod) => !isReady(pod) && pod.status.phase !== 'Succeeded');
  for (const { metadata } of unready.slice(0, SHOWN_PODS))
    parts.push(
      `--- ${metadata.name}`,
      await stage.kubectl(['logs', metadata.name, '--all-containers', '--tail=8', '--prefix']).catch(String),
    );
  return parts.join('\n');
}
