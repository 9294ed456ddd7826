import assert from 'node:assert/strict';
import type { PodState } from '../../aio/openstack.ts';
import type { Client } from '../client.ts';
import { podsOf } from '../install.ts';
import type { Stage } from '../stage.ts';

/** Distributions of services; all others with options are libraries, whose options each service may have. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  keystone: 'keystone',
  placement: 'openstack-placement',
  glance: 'glance',
  nova: 'nova',
  neutron: 'neutron',
  cinder: 'cinder',
  heat: 'openstack-heat',
};
const OTHERS = new Set([...Object.values(DISTRIBUTIONS), 'horizon', 'python-manilaclient']);
const NAMESPACES = `from importlib.metadata import entry_points
for entry in entry_points(group='oslo.config.opts'):
    if 'tests' not in entry.name: print(entry.dist.name, entry.name)`;
const CONFIG_JSON = '/var/lib/kolla/config_files/config.json';

/**
 * The options of every oslo.config file in a Pod, with everything that the helpers added, exist in this release, by its own
 * oslo-config-validator.
 * @returns how many, and those that the release calls deprecated
 */
export async function assertOptionsKnown(stage: Stage, client: Client): Promise<string> {
  const texts = await filesByService(stage, await podsOf(stage));
  assert.deepEqual([...texts.keys()].toSorted(), Object.keys(DISTRIBUTIONS).toSorted());
  const namespaces = (await client.exec('python3', '-c', NAMESPACES)).trim().split('\n');
  const reports: string[] = [];
  for (const [service, text] of texts) {
    const own = namespaces.flatMap((line) => {
      const [distribution = '', namespace = ''] = line.split(' ');
      const isOurs = distribution === DISTRIBUTIONS[service] || !OTHERS.has(distribution);
      return isOurs ? ['--namespace', namespace] : [];
    });
    const groups = backendsIn(text).flatMap((group) => ['--exclude-group', group]);
    await client.write('/tmp/options.conf', text);
    const script = 'oslo-config-validator "$@" --input-file /tmp/options.conf 2>&1; echo "code $?"';
    const report = await client.exec('bash', '-c', script, 'bash', ...own, ...groups);
    assert.match(report, /^code 0$/m, `${service}: ${report}`);
    reports.push(...report.split('\n').filter((line) => /deprecated/i.test(line)));
  }
  const options = [...texts.values()].flatMap((text) => text.match(/^[a-z]\w* *=/gm) ?? []).length;
  const deprecated = new Set(reports.map((line) => line.replace(/^WARNING:\S+:/, '').trim()));
  return `${options} options of ${texts.size} services are known; deprecated: ${[...deprecated].join('; ') || 'none'}`;
}

/** The files of all Pods of a service, one after the other. */
async function filesByService(stage: Stage, pods: readonly PodState[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { metadata } of pods) {
    const read = (path: string) => stage.kubectl(['exec', metadata.name, '--', 'cat', path]);
    const text = await stage.kubectl([
      'exec',
      metadata.name,
      '--',
      'sh',
      '-c',
      `cat ${CONFIG_JSON} 2> /dev/null || true`,
    ]);
    if (text.trim() === '') continue;
    const { config_files: files = [] } = JSON.parse(text) as { config_files?: readonly { readonly dest: string }[] };
    for (const { dest } of files) {
      const service = /^\/etc\/(\w+)\/(?:.*\.conf|.*(?:ml2_conf|_agent)\.ini)$/.exec(dest)?.[1];
      if (service === undefined || !(service in DISTRIBUTIONS)) continue;
      texts.set(service, `${texts.get(service) ?? ''}\n${await read(dest)}`);
    }
  }
  return texts;
}

/** Sections named by the site. */
function backendsIn(text: string): string[] {
  const lists = [...text.matchAll(/^enabled_backends *= *(.*)$/gm)].map(([, list = '']) => list.split(','));
  return [...new Set(lists.flat().map((name) => name.split(':')[0]?.trim() ?? ''))];
}
