/**
 * Charts as rendered by Helm: a chart and values -> objects, or the error shown to the user.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { chartNames, CHARTS, stageChart } from '../../build/charts.ts';
import { helm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** A Kubernetes object, with the fields that tests read. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- assertions check its type
  readonly [key: string]: any;
}

export const NAMESPACE = 'openstack';

/** Of a container of the user's, which `restricted` admits in one of our Pods. */
export const ADMITTED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } as const;

const ANYWHERE = ['--namespace', NAMESPACE];

/** Every password that a chart may need. All differ, so that a test can tell them apart. */
export const PASSWORDS: Readonly<Record<string, string>> = Object.fromEntries(
  [...wordsOfCharts()].map((name) => [name, `of-${name.replaceAll('_', '-')}`]),
);

/** Of images that a site builds; the defaults, for Kolla's own images, need a reference to ours. */
export const GLOBALS = {
  registry: 'kolla',
  tag: '2025.2',
  kollaPod: { delivery: 'baked' },
  passwords: PASSWORDS,
} as const;

/** Names as in Kolla's passwords.yml. */
function wordsOfCharts(): Set<string> {
  const files = readdirSync(CHARTS, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  const named = texts.flatMap((text) => text.match(/\b[a-z][a-z0-9_]*_(?:password|secret|cookie|key|uuid)\b/g) ?? []);
  const services = ['small', ...chartNames().map((name) => name.replaceAll('-', '_')), 'nova_api', 'nova_cell0'];
  const servers = ['database', 'keystone', 'rabbitmq'];
  return new Set([...named, ...services.flatMap((name) => servers.map((server) => `${name}_${server}_password`))]);
}

/** Helm with a private directory, for one chart. */
export interface Rendering extends AsyncDisposable {
  /** The objects by `KIND NAME`. Rejects with Helm's output. */
  render(values?: object, args?: readonly string[]): Promise<Rendered>;
  /** The objects of `helm test`, which `render` omits. */
  tests(values?: object, args?: readonly string[]): Promise<Rendered>;
  /** The output of Helm; undefined if it reported nothing. */
  complaint(values: object): Promise<string | undefined>;
  lint(values?: object): Promise<string | undefined>;
  /** The chart, with its dependencies, ready for Helm. */
  readonly chart: string;
  /** Options of Helm itself. */
  readonly directory: string;
}

export interface Rendered {
  readonly all: readonly KubeObject[];
  /** The only object of that kind with that name prefix. Throws if there is none or more than one. */
  one(kind: string, beginning: string): KubeObject;
  of(kind: string): readonly KubeObject[];
}

/** @param source the chart's directory, if not k8s/charts/NAME */
export async function rendering(name: string, source?: string): Promise<Rendering> {
  await using parts = new AsyncDisposableStack();
  const { path: directory } = parts.use(await privateDirectory('chart'));
  const chart = stageChart(name, directory, source);
  const valuesFile = (values: object) => {
    const text = JSON.stringify(withGlobals(values));
    // The file is named by its content, so that equal values give an equal command line, whose result is cached.
    const file = join(directory, `values-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`);
    if (!existsSync(file)) writeFileSync(file, text);
    return file;
  };
  await mkdir(join(directory, 'config'));
  const template = async (values: object, args: readonly string[]) =>
    await helm(directory, ['template', name, chart, ...ANYWHERE, '--values', valuesFile(values), ...args]);
  const objects = async (values: object, args: readonly string[]) => {
    const { code, stdout, stderr } = await template(values, args);
    if (code !== 0) throw new Error(stderr);
    return loadAll(stdout).filter((object) => object !== null && object !== undefined) as KubeObject[];
  };
  const kept = parts.move();
  return {
    chart,
    directory,
    render: async (values = {}, args = []) => {
      return renderedOf(await objects(values, ['--skip-tests', ...args]));
    },
    tests: async (values = {}, args = []) => {
      const all = await objects(values, args);
      return renderedOf(all.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'test'));
    },
    complaint: async (values) => {
      const { code, stderr } = await template(values, []);
      return code === 0 ? undefined : stderr;
    },
    lint: async (values = {}) => {
      const args = ['lint', chart, '--strict', '--values', valuesFile(values)];
      const { code, stdout, stderr } = await helm(directory, args);
      return code === 0 ? undefined : stdout + stderr;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function withGlobals(values: { global?: { passwords?: object } }): object {
  const passwords = { ...PASSWORDS, ...values.global?.passwords };
  return { ...values, global: { ...GLOBALS, ...values.global, passwords } };
}

function renderedOf(all: readonly KubeObject[]): Rendered {
  const of = (kind: string) => all.filter((object) => object.kind === kind);
  return {
    all,
    of,
    one: (kind, beginning) => {
      const found = of(kind).filter(({ metadata }) => metadata.name.startsWith(beginning));
      const names = of(kind).map(({ metadata }) => metadata.name);
      if (found.length !== 1 || found[0] === undefined)
        throw new Error(`${found.length} ${kind} whose names begin with ${beginning}, of ${names.join(', ')}`);
      return found[0];
    },
  };
}

/** The files of a Pod below /var/lib/kolla/config_files, as path to `Kind/name/key`. */
export function sourcesOf(workload: KubeObject): Record<string, string> {
  const volume = workload['spec'].template.spec.volumes.find(({ name }: { name: string }) => name === 'config-files');
  return Object.fromEntries(
    volume.projected.sources.flatMap(({ configMap, secret }: { configMap?: KubeObject; secret?: KubeObject }) =>
      (configMap ?? secret)?.['items'].map(({ key, path }: { key: string; path: string }) => [
        path,
        `${configMap === undefined ? 'Secret' : 'ConfigMap'}/${(configMap ?? secret)?.['name']}/${key}`,
      ]),
    ),
  );
}

/** A file of an object, selected by a source of `sourcesOf`. */
export function textAt(rendered: Rendered, reference: string): string {
  const [kind = '', name = '', key = ''] = reference.split('/');
  const object = rendered.one(kind, name);
  if (kind === 'Secret' || object['binaryData']?.[key] !== undefined)
    return Buffer.from((object['binaryData'] ?? object['data'])[key], 'base64').toString();
  return object['data'][key];
}
