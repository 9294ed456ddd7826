import { availableParallelism, totalmem } from 'node:os';
import { commitNow } from '../../tools/commit.ts';
import { recordCloud } from '../evidence/support.ts';
import { DEFAULT_KUBERNETES } from '../cluster/kubernetes/version.ts';
import type { Memory } from './memory.ts';
import { writePage } from './page.ts';
import { DEFAULT_RELEASE } from './run.ts';
import type { Stage } from './stage.ts';
import { timelineTable } from './table.ts';
import type { Timeline } from './timeline.ts';
import { versionsOf } from './trees/release.ts';
import { serverVersions } from './versions.ts';

/** Distributions whose versions the page names. */
const SHOWN = {
  Keystone: 'keystone',
  Placement: 'openstack-placement',
  Glance: 'glance',
  Nova: 'nova',
  Neutron: 'neutron',
  Cinder: 'cinder',
  Heat: 'openstack-heat',
  Horizon: 'horizon',
  'the client': 'python-openstackclient',
};

/** What no run on one machine shows, with the stand-ins: the same list as in docs/concepts/scope.md. */
export const NOT_RUN: readonly string[] = [
  'A hypervisor: nova-compute has the fake driver of Nova (`compute_driver`), so no machine boots and no disk is copied.',
  "A switch: `test/cloud/stand-ins/l2_agent.py` takes the Open vSwitch agent's place and reports ports as up; no packet passes through a tenant's network.",
  'DHCP, L3 and metadata agents (`workloads.*.enabled: false`): addresses, routers and floating addresses exist in the API only.',
  'A storage cluster: `test/cloud/stand-ins/file_volumes.py` is the backend of Cinder (`settings.backends`), with sparse files; cinder-backup is off.',
  'Several replicas: one of each service, MariaDB without Galera; `make aio` has clusters of both.',
];

/**
 * Writes the release's page from the run's observations.
 * @param target `make cloud`
 */
export async function writeReport(
  stage: Stage,
  timeline: Timeline,
  memory: readonly Memory[],
  target: string,
): Promise<void> {
  const { release: openstack, addresses } = stage;
  const [kubernetes = ''] = /\d+\.\d+/.exec(await kubernetesOf(stage)) ?? [];
  const others = [
    ...(openstack === DEFAULT_RELEASE ? [] : [openstack]),
    ...(kubernetes === DEFAULT_KUBERNETES ? [] : [`kubernetes-${kubernetes}`]),
    ...(addresses === 'IPv4' ? [] : [addresses.toLowerCase()]),
  ];
  await writePage(['cloud', ...others].join('-'), await pageOf(stage, timeline, memory, target));
  // For the support matrix, after all operations have passed.
  await recordCloud({ openstack, kubernetes, addresses, servers: await serverVersions(stage) });
}

async function kubernetesOf(stage: Stage): Promise<string> {
  const text = await stage.node.kubectl(['version', '--output=json']);
  const { serverVersion } = JSON.parse(text) as { serverVersion: { gitVersion: string } };
  return serverVersion.gitVersion;
}

async function pageOf(stage: Stage, timeline: Timeline, memory: readonly Memory[], target: string): Promise<string> {
  return [
    `# A real cloud: OpenStack ${stage.release} on the charts`,
    '',
    await machineLine(stage, timeline, target),
    '',
    ...body(timeline, memory, NOT_RUN),
  ].join('\n');
}

/** The tables of a cloud's page. */
export function body(timeline: Timeline, memory: readonly Memory[], notRun: readonly string[]): string[] {
  const total = memory.reduce((sum, { mebibytes }) => sum + mebibytes, 0);
  return [
    '## Timeline',
    '',
    ...timelineTable(timeline.steps),
    '',
    '## Memory',
    '',
    `Working set of each Pod at the end, in MiB; together ${total.toFixed(0)}.`,
    '',
    '| Pod | MiB |',
    '|---|---|',
    ...memory.map(({ pod, mebibytes }) => `| ${pod} | ${mebibytes.toFixed(0)} |`),
    '',
    '## Not run',
    '',
    ...notRun.map((line) => `- ${line}`),
    '',
  ];
}

/** What printed the page: the target, the commit, the machine and the versions. */
export async function machineLine(stage: Stage, timeline: Timeline, target: string): Promise<string> {
  const locked = await versionsOf(stage.release);
  const servers = Object.entries(await serverVersions(stage)).map(([name, version]) => `${name} ${version}`);
  const versions = Object.entries(SHOWN).map(([name, distribution]) => `${name} ${locked.get(distribution) ?? '?'}`);
  return [
    `Printed by \`${target} EVIDENCE=1\` at ${await commitNow()}, in ${minutes(timeline.seconds)} on ${availableParallelism()} processors and ${(totalmem() / 2 ** 30).toFixed(0)} GiB with other work.`,
    `Kubernetes ${await kubernetesOf(stage)}, three nodes, ${stage.addresses}; ${servers.join(', ')}. From PyPI: ${versions.join(', ')}.`,
  ].join('\n');
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
