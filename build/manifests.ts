/**
 * `node build/manifests.ts`: renders k8s/manifests/keystone/*.yaml, for use without Helm, from the same chart.
 *
 *   chart keystone + keystone.values.yaml -> helm template -> objects without Helm's labels -> one file per kind of object
 *
 * A test fails if the files are stale. What can fail: Helm; its message is kept.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dump, loadAll } from 'js-yaml';
import { stageChart } from './charts.ts';

const MANIFESTS = fileURLToPath(new URL('../k8s/manifests/', import.meta.url));
const SERVICE = 'keystone';
const NAMESPACE = 'openstack';
/** The oldest version supported by the charts; rendering needs no cluster. */
const KUBE_VERSION = '1.30.0';

interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The file of each object, in reading order. */
const FILES: readonly (readonly [name: string, head: string, kinds: readonly string[]])[] = [
  ['rbac', 'API access of its Pods and Jobs.', ['ServiceAccount', 'Role', 'RoleBinding']],
  ['config', 'config.json and the files next to it; those with passwords are Secrets.', ['ConfigMap', 'Secret']],
  ['jobs', 'Jobs before the first start, and daily ones.', ['Job', 'CronJob']],
  [
    'service',
    'Keystone itself, its Service and NetworkPolicy.',
    ['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'],
  ],
];

/** Runs Helm with these arguments. @returns its stdout; rejects with its stderr */
export type RunHelm = (args: readonly string[]) => Promise<string>;

/** Every file of k8s/manifests/keystone by name. Error for an object of a kind without a file. */
export async function manifests(runHelm: RunHelm): Promise<ReadonlyMap<string, string>> {
  const stage = mkdtempSync(join(tmpdir(), 'kolla-pod-manifests-'));
  try {
    const chart = stageChart(SERVICE, stage);
    const values = join(MANIFESTS, `${SERVICE}.values.yaml`);
    const where = ['--namespace', NAMESPACE, '--kube-version', KUBE_VERSION];
    const text = await runHelm(['template', SERVICE, chart, ...where, '--skip-tests', '--values', values]);
    const objects = (loadAll(text) as (KubeObject | null)[]).filter((object) => object !== null);
    const lost = objects.find(({ kind }) => !FILES.some(([, , kinds]) => kinds.includes(kind)));
    if (lost !== undefined) throw new Error(`build/manifests.ts has no file for a ${lost.kind}`);
    return new Map([
      ['namespace.yaml', namespace()],
      ...FILES.map(([name, head, kinds]) => file(name, head, kinds, objects)),
    ]);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function file(name: string, head: string, kinds: readonly string[], objects: readonly KubeObject[]): [string, string] {
  const own = kinds.flatMap((kind) => objects.filter((object) => object.kind === kind));
  const documents = own.map((object) => dump(plain(object), { lineWidth: 120, noRefs: true }));
  return [`${name}.yaml`, `# ${head} Rendered by node build/manifests.ts.\n${documents.join('---\n')}`];
}

function namespace(): string {
  const enforce = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/enforce-version': 'latest',
  };
  const metadata = { name: NAMESPACE, labels: enforce };
  return `# All Pods here pass the strictest standard.\n${dump({ apiVersion: 'v1', kind: 'Namespace', metadata })}`;
}

/** The object without Helm's labels and annotations; a Secret's values become text, for editing. */
function plain(object: KubeObject): object {
  const { apiVersion, kind, data, metadata, ...rest } = object;
  const isSecret = object.kind === 'Secret' && data !== undefined;
  const texts = Object.entries(data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString().trimEnd() + '\n',
  ]);
  const content = isSecret ? { stringData: Object.fromEntries(texts) } : { data };
  return withoutMarks({ apiVersion, kind, metadata, ...rest, ...content });
}

/** Removes Helm's labels and annotations, in Pod templates too, and what becomes empty. */
function withoutMarks(value: unknown): object {
  const isMark = (key: string, one: unknown) =>
    one === undefined || /^(?:helm\.sh\/|app\.kubernetes\.io\/managed-by$)/.test(key);
  const cleaned = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(cleaned);
    if (typeof one !== 'object' || one === null) return one;
    const kept = Object.entries(one).filter(([key, each]) => !isMark(key, each));
    const entries = kept.map(([key, each]) => [key, cleaned(each)] as const);
    return Object.fromEntries(
      entries.filter(([key, each]) => key !== 'annotations' || Object.keys(each as object).length > 0),
    );
  };
  return cleaned(value) as object;
}

if (import.meta.main) {
  // Loaded on demand: importers of manifests() do not build Helm.
  const { helm } = await import('../tools/helm.ts');
  const home = mkdtempSync(join(tmpdir(), 'kolla-pod-helm-'));
  const made = await manifests(async (args) => {
    const { code, stdout, stderr } = await helm(home, args);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  });
  rmSync(home, { recursive: true, force: true });
  const directory = join(MANIFESTS, SERVICE);
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(directory)) if (!made.has(name)) rmSync(join(directory, name));
  for (const [name, text] of made) writeFileSync(join(directory, name), text);
  console.log(`${made.size} files in ${directory}`);
}
