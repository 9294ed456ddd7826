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
  type ServerResult,
  type SupportResults,
} from '../../build/docs/support.ts';
import { IMAGE_ARCH } from '../../build/images/base.ts';
import { commitNow } from '../../tools/commit.ts';
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

const LOG_FILES = ['servers', 'data-stream', 'not-indexed'].map(
  (name) => `test/integration/kolla-log-ship-${name}.test.ts`,
);
const integration = (names: readonly string[]) => names.map((name) => `test/integration/${name}.test.ts`);
/** Files by the server that they use. Tests are named after the server and its version: `OpenSearch 3.9.0 > ...`. */
export const SERVER_FILES: Readonly<Record<string, readonly string[]>> = {
  Elasticsearch: LOG_FILES,
  OpenSearch: LOG_FILES,
  MariaDB: integration([
    'server-versions',
    'mariadb',
    'kolla-db-sync',
    'kolla-db-sync-account',
    'kolla-db-sync-ensure',
    'kolla-probe-mariadb',
  ]),
  Galera: integration([
    'server-versions',
    'galera',
    'tls-galera',
    'kolla-db-sync-fencing',
    'kolla-db-sync-nodes',
    'kolla-probe-galera',
  ]),
  RabbitMQ: integration(['server-versions', 'tls-servers', 'kolla-bootstrap-rabbitmq', 'kolla-probe-rabbitmq']),
  containerd: ['test/e2e/image-volume.test.ts'],
};

/** A test that is named after any server's version. One that is not concerns all versions in its file. */
const VERSIONED = new RegExp(String.raw`(?:^| > )(?:${Object.keys(SERVER_FILES).join('|')}) \d+\.\d+\.\d+`);

/** Records what a run of tests shows: releases of Kolla whose contract held, and versions of Kubernetes and of servers. */
export async function recordOutcomes(outcomes: readonly Outcome[]): Promise<void> {
  const commit = await commitNow();
  await record((former) => ({
    ...former,
    contract: replaced(former.contract, contractsIn(outcomes, commit)),
    kubernetes: replaced(former.kubernetes, kubernetesIn(outcomes, commit)),
    servers: replaced(former.servers, serversIn(outcomes, commit)),
  }));
}

function contractsIn(outcomes: readonly Outcome[], commit: string): ContractResult[] {
  return outcomes.flatMap(({ file, name, result }): ContractResult[] => {
    const tested = CONTRACT_FILES[file];
    if (tested === undefined || result !== 'passed') return [];
    return [{ kolla: Number(/^Kolla (\d+):/.exec(name)?.[1]), architecture: tested, commit }];
  });
}

/** Versions of which no test failed, in runs that had all files of the server. */
export function serversIn(outcomes: readonly Outcome[], commit: string): ServerResult[] {
  return Object.entries(SERVER_FILES).flatMap(([server, files]) => {
    const all = outcomes.filter(({ file }) => files.includes(file));
    if (!files.every((file) => all.some((outcome) => outcome.file === file && outcome.isSuite !== true))) return [];
    const versioned = Map.groupBy(
      all,
      ({ name }) => new RegExp(String.raw`(?:^| > )${server} (\d+\.\d+\.\d+)`).exec(name)?.[1],
    );
    const others = all.filter(({ name }) => !VERSIONED.test(name));
    return [...versioned].flatMap(([version, tests]): ServerResult[] => {
      const hidden = [...tests, ...others].some(({ result, isSuite }) => result === 'failed' || isSuite === true);
      if (version === undefined || hidden || !tests.some(({ result }) => result === 'passed')) return [];
      return [{ server, version, architecture, commit }];
    });
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
  const { contract, clouds, kubernetes, servers } = change(
    JSON.parse(await readFile(RESULTS, 'utf8')) as SupportResults,
  );
  const results: SupportResults = {
    contract: contract.toSorted((a, b) => a.kolla - b.kolla || (a.architecture < b.architecture ? -1 : 1)),
    clouds: sorted(clouds, ({ openstack, ...cloud }) => `${openstack},${keyOf({ ...cloud, part: 'node' })}`),
    kubernetes: sorted(kubernetes, keyOf),
    servers: sorted(servers, ({ server, version, architecture: on }) => [server, version, on].join()),
  };
  await writeFile(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(PAGE, supportPage(results, GENERATED));
}

function sorted<T>(all: readonly T[], key: (one: T) => string): T[] {
  return all.toSorted((a, b) => key(a).localeCompare(key(b), 'en', { numeric: true }));
}

function keyOf({ kubernetes, addresses, part }: KubernetesResult): string {
  return [kubernetes, addresses, part].join();
}
