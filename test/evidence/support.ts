/**
 * Results for the support matrix: a run that passed -> docs/evidence/support.json -> docs/reference/support.md. A later
 * result replaces an earlier one of the same kind.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HERE } from '../../build/base.ts';
import { ROOT } from '../../build/bundle.ts';
import { GENERATED } from '../../build/docs/pages.ts';
import {
  supportPage,
  type Addresses,
  type CloudResult,
  type ContractResult,
  type KubernetesResult,
  type SupportResults,
} from '../../build/docs/support.ts';
import { IMAGE_ARCH } from '../../build/images/base.ts';
import { commitNow } from './commit.ts';
import { KUBERNETES } from '../cluster/kubernetes/version.ts';
import type { Outcome } from '../runner/outcomes.ts';
import { itemsOf } from '../runner/plan.ts';

const RESULTS = join(ROOT, 'docs/evidence/support.json');
const PAGE = join(ROOT, 'docs/reference/support.md');
const architecture = IMAGE_ARCH[HERE.arch];
/** Files whose tests are one for each release of Kolla, by the architecture that they test. */
const CONTRACT_FILES: Readonly<Record<string, string>> = {
  'test/contract/set-configs/releases.test.ts': architecture,
  'test/contract/set-configs/releases-arm64.test.ts': 'arm64',
};
/** Files that run Pods on a node, by the addresses of its Pods. */
const NODE_FILES: Readonly<Record<Addresses, readonly string[]>> = {
  IPv4: ['test/e2e/node.test.ts', 'test/aio/addresses/ipv4.test.ts'],
  'IPv6-only': ['test/aio/addresses/ipv6-only.test.ts'],
  'dual-stack': ['test/aio/addresses/dual-stack.test.ts'],
};

/** Records what a run of tests shows: releases of Kolla whose contract held, and the version of Kubernetes. */
export async function recordOutcomes(outcomes: readonly Outcome[]): Promise<void> {
  const commit = await commitNow();
  await record((former) => ({
    ...former,
    contract: replaced(former.contract, contractsIn(outcomes, commit)),
    kubernetes: replaced(former.kubernetes, kubernetesIn(outcomes, commit)),
  }));
}

function contractsIn(outcomes: readonly Outcome[], commit: string): ContractResult[] {
  return outcomes.flatMap(({ file, name, result }): ContractResult[] => {
    const tested = CONTRACT_FILES[file];
    if (tested === undefined || result !== 'passed') return [];
    return [{ kolla: Number(/^Kolla (\d+):/.exec(name)?.[1]), architecture: tested, commit }];
  });
}

/** A part's files must all have been run, and passed. */
function kubernetesIn(outcomes: readonly Outcome[], commit: string): KubernetesResult[] {
  const passed = (file: string) => {
    const all = outcomes.filter((outcome) => outcome.file === file);
    const hidden = all.some(({ result, isSuite }) => result === 'failed' || isSuite === true);
    return !hidden && all.some(({ result }) => result === 'passed');
  };
  const common = { kubernetes: KUBERNETES.minor, architecture, commit };
  const atServer = itemsOf(['kubernetes']).filter(({ lane }) => lane !== 'node');
  const results: KubernetesResult[] = [];
  if (atServer.every(({ name }) => passed(name))) results.push({ ...common, part: 'API server', addresses: 'IPv4' });
  for (const [addresses, files] of Object.entries(NODE_FILES) as [Addresses, readonly string[]][])
    if (files.every(passed)) results.push({ ...common, part: 'node', addresses });
  return results;
}

/** Records a cloud that passed, on this machine's architecture. */
export async function recordCloud(cloud: Omit<CloudResult, 'architecture' | 'commit'>): Promise<void> {
  const passed = { ...cloud, architecture, commit: await commitNow() };
  await record((former) => ({ ...former, clouds: replaced(former.clouds, [passed]) }));
}

/** Earlier results without those of which there is a new one, and the new ones. */
function replaced<T extends { readonly commit: string }>(former: readonly T[], fresh: readonly T[]): readonly T[] {
  return [...former.filter((old) => !fresh.some((one) => isSame(one, old))), ...fresh];
}

/** Whether two results are of the same kind. */
function isSame<T extends { readonly commit: string }>(one: T, other: T): boolean {
  return isDeepStrictEqual({ ...one, commit: '' }, { ...other, commit: '' });
}

async function record(change: (results: SupportResults) => SupportResults): Promise<void> {
  const { contract, clouds, kubernetes } = change(JSON.parse(await readFile(RESULTS, 'utf8')) as SupportResults);
  const results: SupportResults = {
    contract: contract.toSorted((a, b) => a.kolla - b.kolla || (a.architecture < b.architecture ? -1 : 1)),
    clouds: clouds.toSorted((a, b) => (a.openstack < b.openstack ? -1 : 1)),
    kubernetes: kubernetes.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  };
  await writeFile(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(PAGE, supportPage(results, GENERATED));
}

function keyOf({ kubernetes, addresses, part }: KubernetesResult): string {
  return [kubernetes, addresses, part].join();
}
