/**
 * The installation of `make cloud`: Helm's commands of docs/start/kind.md, in a directory with the files that the page makes:
 *
 *   charts/, passwords.yml; site.yml: k8s/examples/cloud/globals.yml and the images' tag; cloud.yml, which has nothing to add
 */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../../build/bundle.ts';
import { chartNames, packageChart } from '../../build/charts.ts';
import { loadValues } from '../../src/core/helm-yaml.ts';
import type { HelmValues } from '../../src/operator/api/objects.ts';
import { merge } from '../../src/operator/helm/values.ts';
import { isReady } from '../aio/openstack.ts';
import { FAMILIES } from '../cluster/kubernetes/network.ts';
import { siteOf } from '../cluster/site.ts';
import { blocksUnder } from '../docs/page.ts';
import { globalsOf, podsOf, whatIsWrong, type Described } from './install.ts';
import type { Stage } from './stage.ts';

const PAGE = 'start/kind';
/** The first command of its block; no registry or kind is needed for images that the nodes have. */
const LOADING = /^kind load .*\n/m;

/** The page's blocks that install MariaDB and Keystone, then all other charts at once. */
export async function installation(): Promise<string[]> {
  const [first = ''] = await blocksUnder(PAGE, 'Keystone with MariaDB');
  const others = (await blocksUnder(PAGE, 'The whole cloud')).find((block) => block.includes('helm install')) ?? '';
  return [first.replace(LOADING, ''), others];
}

/**
 * @param passwords a complete passwords.yml
 * @param files values in addition to those of the cloud, with other keys
 */
export async function installByPage(stage: Stage, passwords: string, files: readonly string[]): Promise<string> {
  const own = join(stage.directory, 'by-page');
  const cwd = join(own, 'release');
  await mkdir(cwd, { recursive: true });
  for (const name of chartNames()) packageChart(name, join(cwd, 'charts'));
  await writeFile(join(cwd, 'site.yml'), JSON.stringify(await siteValues(stage, files, ofNetwork(stage))));
  await writeFile(join(cwd, 'cloud.yml'), '{}\n');
  await symlink(passwords, join(cwd, 'passwords.yml'));
  const site = await siteOf({ node: stage.node, own, cwd });
  for (const block of await installation()) {
    const { code, output } = await site.execute(block);
    if (code === 0) continue;
    const logs = await site.execute('tail --lines=5 *.log');
    throw new Error(`exit code ${code}: ${block}${output}${logs.output}\n${await whatIsWrong(stage)}`);
  }
  const ready = (await podsOf(stage)).filter((pod) => isReady(pod));
  return `${chartNames().length} charts, ${ready.length} Pods ready`;
}

/** The values that depend on the nodes' addresses. */
function ofNetwork({ addresses, elasticsearch }: Stage): object {
  return { ipFamilies: FAMILIES[addresses], logs: { enabled: true, url: elasticsearch.url } };
}

/**
 * The values of the stage's cloud, for its release's images.
 * @param own of `global`, in addition to those of the cloud
 */
export async function siteValues(stage: Described, files: readonly string[], own: object = {}): Promise<object> {
  const [cloud, ...more] = await Promise.all(
    [globalsOf(stage), ...files].map(async (file) => load(await readFile(file, 'utf8'))),
  );
  const { global } = cloud as { global: { readonly charts: HelmValues } };
  const charts = stage.storage === undefined ? global.charts : merge(await cephValues(), global.charts);
  return Object.assign({ global: { ...global, charts, ...own, tag: stage.release } }, ...(more as object[])) as object;
}

/** The examples' values of the charts that store in Ceph; Cinder's are its defaults. */
async function cephValues(): Promise<HelmValues> {
  const charts = ['glance', 'nova-compute'].map(async (chart) => {
    const file = join(ROOT, `k8s/charts/examples/${chart}-ceph.yaml`);
    return [chart, loadValues(await readFile(file, 'utf8'))] as const;
  });
  return Object.fromEntries(await Promise.all(charts));
}
