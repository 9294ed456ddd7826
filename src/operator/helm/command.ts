import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../core/defined.ts';
import { parseDuration } from '../../core/duration.ts';
import { redactor } from '../../core/redact.ts';
import type { Log } from '../../core/log.ts';
import { start } from '../../process/run.ts';
import type { Chart } from './chart.ts';
import { environment } from './environment.ts';
import { HelmGuard, requireRenderable, type HelmLimits } from './guard.ts';
import { hasTemplate, publicError } from './public-error.ts';
import type { HelmValues } from '../api/objects.ts';

/** How Helm is run. */
export interface Helm {
  /** The binary. */
  readonly file: string;
  readonly kubeconfig: string | undefined;
  /** A directory for Helm's caches and, for a moment, values; best in memory. */
  readonly directory: string;
  readonly inherited: NodeJS.ProcessEnv;
  readonly limits: HelmLimits;
}

/** One `helm upgrade --install`. */
export interface Upgrade {
  readonly namespace: string;
  readonly name: string;
  readonly chart: Chart;
  readonly values: HelmValues;
  readonly secrets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** As for --timeout: `1h`. */
  readonly timeout: string;
  /** Going back to an older release: its Jobs must not run on the newer schema. */
  readonly withoutHooks: boolean;
  /** Takes over the fields that others have written. Only for a release that was applied on the server. */
  readonly forceConflicts?: boolean;
  /** Only renders, with the cluster's answers, into this open file: with passwords, and lines of any length. */
  readonly dryRunTo?: number;
  /** Receives the guard of this run, to extend its deadline. */
  readonly onGuard?: (guard: HelmGuard) => void;
}

/** Time in which Helm ends after SIGTERM, and marks its release as failed. Shorter than the rest of the Lease. */
export const HELM_GRACE_MS = 5000;
const HISTORY_MAX = 10;

/**
 * Runs it. Helm ends when its hooks have succeeded and all objects are applied; it does not wait for workloads, which the
 * operator watches itself.
 * @returns Helm's error; undefined if it has succeeded
 * @throws the signal's reason
 */
export async function upgrade(helm: Helm, what: Upgrade, signal: AbortSignal, log: Log): Promise<string | undefined> {
  const { namespace, name, chart, labels, timeout, withoutHooks, forceConflicts = false, dryRunTo: stdout } = what;
  await using values = await unlinkedFile(helm.directory, JSON.stringify(what.values));
  const args = [
    'upgrade',
    name,
    chart.reference,
    '--install',
    '--reset-values',
    `--namespace=${namespace}`,
    // Our third descriptor: values never have a name in a file system.
    '--values=/dev/fd/3',
    ...(stdout === undefined ? [`--labels=${labelsText(labels)}`] : ['--dry-run=server', '--hide-secret']),
    `--timeout=${timeout}`,
    `--history-max=${HISTORY_MAX}`,
    ...(chart.reference.startsWith('oci://') ? [`--version=${chart.version}`] : []),
    ...(withoutHooks ? ['--no-hooks'] : []),
    ...(forceConflicts ? ['--force-conflicts'] : []),
    ...(helm.kubeconfig === undefined ? [] : [`--kubeconfig=${helm.kubeconfig}`]),
  ];
  const onLine = (line: string) => log.debug(`helm: ${line.length > 1000 ? `${line.slice(0, 1000)}...` : line}`);
  const timeoutMs = stdout === undefined ? parseDuration(timeout, Infinity) : undefined;
  const own = { descriptor: values.descriptor, onLine, ...defined({ stdout, timeoutMs }) };
  return await run(helm, args, { ...what, ...own }, signal);
}

/** What Helm renders of a chart, with its Secrets; or its error. */
export type Template = { readonly yaml: string } | { readonly problem: string };

/** Renders an upgrade with the cluster's answers: hooks, manifest and notes. */
export async function dryRun(
  helm: Helm,
  what: Pick<Upgrade, 'namespace' | 'name' | 'chart' | 'values' | 'secrets'>,
  signal: AbortSignal,
  log: Log,
): Promise<Template> {
  await using output = await unlinkedFile(helm.directory, '');
  const terms = { labels: {}, timeout: '1m', withoutHooks: false, dryRunTo: output.descriptor };
  const problem = await upgrade(helm, { ...what, ...terms }, signal, log);
  return problem === undefined ? { yaml: await output.text() } : { problem };
}

/**
 * Renders an upgrade without asking the cluster, where objects of an earlier rendering would be in the way.
 * @param kubeVersion the API server's
 */
export async function template(
  helm: Helm,
  what: Pick<Upgrade, 'namespace' | 'name' | 'chart' | 'values' | 'secrets'>,
  kubeVersion: string,
  signal: AbortSignal,
): Promise<Template> {
  await using values = await unlinkedFile(helm.directory, JSON.stringify(what.values));
  // Lines of a Secret may be longer than those that are passed on.
  await using output = await unlinkedFile(helm.directory, '');
  const { namespace, name, chart } = what;
  const args = [
    'template',
    name,
    chart.reference,
    '--is-upgrade',
    `--kube-version=${kubeVersion}`,
    `--namespace=${namespace}`,
    '--values=/dev/fd/3',
    ...(chart.reference.startsWith('oci://') ? [`--version=${chart.version}`] : []),
  ];
  const descriptors = { descriptor: values.descriptor, stdout: output.descriptor };
  const problem = await run(helm, args, { ...what, ...descriptors }, signal);
  return problem === undefined ? { yaml: await output.text() } : { problem };
}

interface Run extends Pick<Upgrade, 'secrets' | 'values' | 'onGuard'> {
  /** Time for a hook; by default for rendering, which may ask the cluster for each object. */
  readonly timeoutMs?: number;
  readonly descriptor: number;
  readonly stdout?: number;
  readonly onLine?: (line: string) => void;
}

/** @returns Helm's error */
async function run(
  helm: Helm,
  args: readonly string[],
  { secrets, values, descriptor, stdout, onLine, timeoutMs = helm.limits.ownMs, onGuard }: Run,
  signal: AbortSignal,
): Promise<string | undefined> {
  using guard = new HelmGuard(helm.limits, timeoutMs);
  onGuard?.(guard);
  const child = start(helm.file, args, {
    env: environment(helm.directory, helm.inherited),
    signal: AbortSignal.any([signal, guard.signal]),
    graceMs: HELM_GRACE_MS,
    descriptors: [descriptor],
    redact: redactor(secrets),
    // Notes and warnings may have what a template of the values prints.
    ...defined({ stdout, onLine: hasTemplate(values) ? undefined : onLine }),
  });
  guard.watch(child, stdout);
  const { code, err } = await child.ended;
  signal.throwIfAborted();
  if (code === 0) return undefined;
  return guard.problem ?? publicError(errorIn(err) || `helm ${args[0]} exited with ${code}`, values);
}

function labelsText(labels: Upgrade['labels']): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Helm's error without its warnings, and without the prefix that each has. */
function errorIn(err: string): string {
  const lines = err
    .split('\n')
    .filter((line) => !/^(?:WARNING|walk\.go|coalesce\.go|level=|I\d{4} |W\d{4} )/.test(line));
  return lines
    .join('\n')
    .replace(/^Error: (?:(?:UPGRADE|INSTALLATION) FAILED: )?/, '')
    .trim();
}

/** An open file without a name. */
interface Unlinked extends AsyncDisposable {
  readonly descriptor: number;
  /** All that was written to it. @throws ChartError if that is too much */
  text(): Promise<string>;
}

async function unlinkedFile(directory: string, text: string): Promise<Unlinked> {
  const place = await mkdtemp(join(directory, 'values-'));
  try {
    const file = await open(join(place, 'values.json'), 'wx+', 0o600);
    await rm(place, { recursive: true });
    await file.writeFile(text);
    return {
      descriptor: file.fd,
      async text() {
        const { size } = await file.stat();
        requireRenderable(size);
        const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
        return buffer.toString();
      },
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    throw error;
  }
}
