import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartNames, packageChart } from '../../build/charts.ts';
import { helm } from '../../tools/helm.ts';
import { isReady, type PodState } from '../aio/openstack.ts';
import { NAMESPACE, type Stage } from './stage.ts';
import type { Timeline } from './timeline.ts';

const GLOBALS = fileURLToPath(new URL('../../k8s/examples/cloud/globals.yml', import.meta.url));
/** Limit for one chart; on a loaded machine all take a few minutes. */
const TIMEOUT = '25m';
const SHOWN_PODS = 4;

/** Installs all charts at once, as they are: each Pod waits for what it needs. */
export async function installCharts(
  stage: Stage,
  passwords: string,
  timeline: Timeline,
  reload: 'live' | 'rolling',
): Promise<string> {
  const charts = join(stage.directory, 'charts');
  const names = chartNames();
  await Promise.all(
    names.map(async (name) => {
      const files = [
        '--values',
        GLOBALS,
        '--values',
        passwords,
        '--set-string',
        `global.tag=${stage.release}`,
        '--set',
        `config.reload=${reload}`,
      ];
      const wait = ['--wait', '--wait-for-jobs', '--timeout', TIMEOUT];
      const words = ['install', name, packageChart(name, charts), '--namespace', NAMESPACE, ...files, ...wait];
      const { code, stdout, stderr } = await helm(stage.directory, words, stage.node.kubeconfig);
      await writeFile(join(stage.directory, `${name}.log`), stdout + stderr);
      if (code !== 0) throw new Error(`helm install ${name}: ${stderr.slice(-1000)}\n${await whatIsWrong(stage)}`);
      timeline.say(`chart ${name} is ready`);
    }),
  );
  const pods = await podsOf(stage);
  return `${names.length} charts, ${pods.filter((pod) => isReady(pod)).length} Pods ready`;
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
