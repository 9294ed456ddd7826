/**
 * Helpers for tests of OpenStack's charts: the catalogue's container of each workload, and the files, kolla-pod.yaml and
 * waits of its Pods.
 */
import { load } from 'js-yaml';
import { allProbes, chartedServices, type Probe, type Service } from '../../src/catalog/index.ts';
import type { KubeObject, Rendered } from './support.ts';

/** The charts of services in the catalogue, except Keystone's, which has tests of its own. */
export const SERVICE_CHARTS: readonly string[] = chartedServices
  .flatMap(({ name, charts = [name] }) => charts)
  .filter((chart) => chart !== 'keystone')
  .toSorted();

/** Workloads whose container in Kolla is not named after chart and workload. */
const CONTAINERS: Readonly<Record<string, string>> = {
  'horizon dashboard': 'horizon',
  'nova-compute compute': 'nova_compute',
  'nova-cell conductor': 'nova_conductor',
  'nova-compute libvirt': 'nova_libvirt',
  'nova-cell novncproxy': 'nova_novncproxy',
  'neutron openvswitch-db': 'openvswitch_db',
  'neutron openvswitch-vswitchd': 'openvswitch_vswitchd',
};

/** Charts without a Job, since they have no schema and no accounts. */
export const WITHOUT_JOB: ReadonlySet<string> = new Set(['horizon', 'nova-compute']);

export function serviceOf(chart: string): Service {
  const service = chartedServices.find(({ name, charts = [name] }) => charts.includes(chart));
  if (service === undefined) throw new Error(`the catalogue has no ${chart}`);
  return service;
}

/** Deployments, StatefulSets and DaemonSets. There must be at least one, because an empty loop asserts nothing. */
export function workloadsOf(rendered: Rendered): readonly KubeObject[] {
  const workloads = ['Deployment', 'StatefulSet', 'DaemonSet'].flatMap((kind) => rendered.of(kind));
  if (workloads.length === 0) throw new Error('the chart renders no workload');
  return workloads;
}

/** The name of the workload in defaults.yaml. */
export function keyOf({ metadata }: KubeObject): string {
  return metadata.labels['app.kubernetes.io/component'] ?? '';
}

/** The name of a workload's container in kolla-ansible: `nova_super_conductor`. */
export function containerOf(chart: string, key: string): string {
  return CONTAINERS[`${chart} ${key}`] ?? `${chart}_${key}`.replaceAll('-', '_');
}

export function probeOf(container: string): Probe {
  const probe = allProbes().find((one) => one.container === container);
  if (probe === undefined) throw new Error(`the catalogue has no container ${container}`);
  return probe;
}

interface HelperProbe {
  readonly exec?: { readonly command: readonly string[] };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly readinessProbe: HelperProbe;
  readonly livenessProbe: HelperProbe;
  readonly startupProbe: HelperProbe;
}

/** The `configMap` or `secret` of a projected volume. */
interface FileSource {
  readonly name: string;
  readonly items: readonly { readonly key: string; readonly path: string }[];
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly projected?: {
    readonly sources: readonly { readonly configMap?: FileSource; readonly secret?: FileSource }[];
  };
}

interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly containers: readonly [Container];
  readonly initContainers: readonly Container[];
  readonly securityContext: { readonly runAsUser: number };
  readonly volumes: readonly Volume[];
}

/** The spec of a Pod, also of a Job's Pod. */
export function podOf(object: KubeObject): PodSpec {
  return object['spec'].template.spec as PodSpec;
}

/** The container that runs the service. */
export function mainOf(object: KubeObject): Container {
  return podOf(object).containers[0];
}

/** A Pod's files in /var/lib/kolla/config_files, by path, without those of a user's Secret. */
export function filesOf(rendered: Rendered, object: KubeObject): Map<string, string> {
  const sources = volumeOf(object, 'config-files')?.projected?.sources ?? [];
  return new Map(
    sources.flatMap(({ configMap, secret }) => [
      ...textsOf(rendered, 'ConfigMap', configMap, (text) => text),
      ...textsOf(rendered, 'Secret', secret, (text) => Buffer.from(text, 'base64').toString()),
    ]),
  );
}

function textsOf(
  rendered: Rendered,
  kind: string,
  source: FileSource | undefined,
  decoded: (text: string) => string,
): [string, string][] {
  const object = rendered.of(kind).find(({ metadata }) => metadata.name === source?.name);
  if (source === undefined || object === undefined) return [];
  const data = object['data'] as Readonly<Record<string, string>>;
  return source.items.map(({ key, path }) => [path, decoded(data[key] ?? '')]);
}

function volumeOf(object: KubeObject, wanted: string): Volume | undefined {
  return podOf(object).volumes.find(({ name }) => name === wanted);
}

export interface ConfigJson {
  readonly command: string;
  readonly directories?: readonly { readonly path: string }[];
  readonly config_files: readonly { readonly source: string; readonly dest: string }[];
}

export function configJsonOf(files: ReadonlyMap<string, string>): ConfigJson {
  return JSON.parse(files.get('config.json') ?? '') as ConfigJson;
}

/**
 * The text that is installed at `dest`, before overlays; undefined if there is none, or if a user's Secret contains it.
 */
export function textAt(files: ReadonlyMap<string, string>, dest: string): string | undefined {
  const entry = configJsonOf(files).config_files.find((one) => one.dest === dest);
  return entry && files.get(entry.source.replace('/var/lib/kolla/config_files/', ''));
}

export interface PodYaml {
  readonly checks?: Readonly<Record<string, { readonly run: string; readonly for: readonly string[] }>>;
  readonly overlays?: {
    readonly ini?: readonly { file: string; section?: string; key: string; value: string }[];
    readonly passwords?: readonly { file: string; name: string; source: string; secret?: string; key?: string }[];
  };
}

/** The kolla-pod.yaml of a Pod; empty if it has none. */
export function podYamlOf(rendered: Rendered, object: KubeObject): PodYaml {
  const map = volumeOf(object, 'pod-yaml')?.configMap?.name;
  return map === undefined ? {} : (load(rendered.one('ConfigMap', map)['data']['kolla-pod.yaml']) as PodYaml);
}

/** The dependencies for which kolla-init waits. */
export function waitsOf(object: KubeObject): readonly string[] {
  const init = podOf(object).initContainers.find(({ name }) => name === 'kolla-init');
  return wordsAfter(init?.command, '--wait');
}

/** The values of `option` in a command line. */
export function wordsAfter(command: readonly string[] = [], option: string): readonly string[] {
  return command.filter((_, i) => command[i - 1] === option);
}
