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
/** Options of sections that only the running service has: accounts in Keystone, and privsep's contexts. */
const OF_ANY_SECTION = `from keystoneauth1 import loading
from oslo_privsep import priv_context
plugin = [option._to_oslo_opt() for option in loading.get_plugin_loader('password').get_options()]
common = loading.get_auth_common_conf_options() + loading.get_session_conf_options() + loading.get_adapter_conf_options()
for option in plugin + common + priv_context.OPTS: print(option.dest)`;
/** Options that the charts write for any release, and the first one that has them. The service ignores an unknown one. */
const SINCE: Readonly<Record<string, string>> = { 'nova: [DEFAULT] manager_shutdown_timeout': '2026.1' };
const UNKNOWN = /^ERROR:root:(?<section>\S+)\/(?<option>\S+) is not part of the sample config$/gm;

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>;
}

interface Source {
  readonly configMap?: {
    readonly name: string;
    readonly items: readonly { readonly key: string; readonly path: string }[];
  };
}

interface Described extends PodState {
  readonly spec: {
    readonly volumes: readonly {
      readonly name: string;
      readonly projected?: { readonly sources: readonly Source[] };
    }[];
  };
}

/**
 * The options of every oslo.config file in a Pod, with everything that the helpers added, exist in this release, by its own
 * oslo-config-validator.
 * @returns how many, and those that the release calls deprecated
 */
export async function assertOptionsKnown(stage: Stage, client: Client): Promise<string> {
  const texts = await filesByService(stage, await podsOf(stage));
  assert.deepEqual([...texts.keys()].toSorted(), Object.keys(DISTRIBUTIONS).toSorted());
  const namespaces = (await client.exec('python3', '-c', NAMESPACES)).trim().split('\n');
  const dynamic = new Set((await client.exec('python3', '-c', OF_ANY_SECTION)).trim().split('\n'));
  const [reports, unknown]: [string[], string[]] = [[], []];
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
    assert.match(report, /^code [01]$/m, `${service}: ${report}`);
    for (const { groups: { section = '', option = '' } = {} } of report.matchAll(UNKNOWN))
      if (!dynamic.has(option)) unknown.push(`${service}: [${section}] ${option}`);
    reports.push(...report.split('\n').filter((line) => /deprecated/i.test(line)));
  }
  const later = Object.keys(SINCE).filter((option) => SINCE[option]! > stage.release);
  assert.deepEqual(unknown, later);
  const options = [...texts.values()].flatMap((text) => text.match(/^[a-z]\w* *=/gm) ?? []).length;
  const deprecated = new Set(reports.map((line) => line.replace(/^WARNING:\S+:/, '').trim()));
  const but = later.length === 0 ? '' : `, but for a later release's: ${later.join('; ')}`;
  return `${options} options of ${texts.size} services are known${but}; deprecated: ${[...deprecated].join('; ') || 'none'}`;
}

/** The files of all Pods of a service, one after the other. */
async function filesByService(stage: Stage, pods: readonly PodState[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const pod of pods) {
    for (const dest of await destinationsOf(stage, pod as Described)) {
      const service = /^\/etc\/(\w+)\/(?:.*\.conf|.*(?:ml2_conf|_agent)\.ini)$/.exec(dest)?.[1];
      if (service === undefined || !(service in DISTRIBUTIONS)) continue;
      const text = await stage.kubectl(['exec', pod.metadata.name, '--', 'cat', dest]);
      texts.set(service, `${texts.get(service) ?? ''}\n${text}`);
    }
  }
  return texts;
}

/** Where kolla-init installs the files of a Pod's config.json. */
async function destinationsOf(stage: Stage, { spec }: Described): Promise<string[]> {
  const sources = spec.volumes.find(({ name }) => name === 'config-files')?.projected?.sources ?? [];
  const source = sources.find(({ configMap }) =>
    configMap?.items.some(({ path }) => path === 'config.json'),
  )?.configMap;
  if (source === undefined) return [];
  const object = JSON.parse(await stage.kubectl(['get', `configmap/${source.name}`, '--output=json'])) as ConfigMap;
  const text = object.data[source.items.find(({ path }) => path === 'config.json')?.key ?? ''] ?? '{}';
  const { config_files: files = [] } = JSON.parse(text) as { config_files?: readonly { readonly dest: string }[] };
  return files.map(({ dest }) => dest);
}

/** Sections of backends: those in `enabled_backends`, and those that Glance names itself. */
function backendsIn(text: string): string[] {
  const lists = [...text.matchAll(/^enabled_backends *= *(.*)$/gm)].map(([, list = '']) => list.split(','));
  const named = lists.flat().map((name) => name.split(':')[0]?.trim() ?? '');
  return [...new Set([...named, ...(text.match(/(?<=^\[)os_glance_\w+(?=\])/gm) ?? [])])];
}
