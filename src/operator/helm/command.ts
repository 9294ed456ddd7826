import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { redactor } from '../../core/redact.ts';
import type { Log } from '../../core/log.ts';
import { start } from '../../process/run.ts';
import type { Chart } from './chart.ts';
import type { HelmValues } from '../objects.ts';

/** How Helm is run. */
export interface Helm {
  /** The binary. */
  readonly file: string;
  readonly kubeconfig: string | undefined;
  /** A directory for Helm's caches and, for a moment, values; best in memory. */
  readonly directory: string;
  readonly inherited: NodeJS.ProcessEnv;
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
  /** Only renders, with the cluster's answers, and receives each line of the objects, which contain passwords. */
  readonly dryRun?: (line: string) => void;
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
  const { namespace, name, chart, labels, timeout, withoutHooks, dryRun } = what;
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
    ...(dryRun === undefined ? [`--labels=${labelsText(labels)}`] : ['--dry-run=server', '--hide-secret']),
    `--timeout=${timeout}`,
    `--history-max=${HISTORY_MAX}`,
    ...(chart.reference.startsWith('oci://') ? [`--version=${chart.version}`] : []),
    ...(withoutHooks ? ['--no-hooks'] : []),
    ...(helm.kubeconfig === undefined ? [] : [`--kubeconfig=${helm.kubeconfig}`]),
  ];
  const { code, err } = await start(helm.file, args, {
    env: environment(helm),
    signal,
    graceMs: HELM_GRACE_MS,
    killsLeftovers: true,
    descriptors: [values.descriptor],
    redact: redactor(what.secrets),
    onLine: dryRun ?? ((line) => log.debug(`helm: ${line.length > 1000 ? `${line.slice(0, 1000)}...` : line}`)),
  }).ended;
  signal.throwIfAborted();
  return code === 0 ? undefined : errorIn(err) || `helm upgrade exited with ${code}`;
}

function labelsText(labels: Upgrade['labels']): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

function environment({ directory, inherited }: Helm): NodeJS.ProcessEnv {
  return {
    ...inherited,
    HOME: directory,
    HELM_CACHE_HOME: join(directory, 'cache'),
    HELM_CONFIG_HOME: join(directory, 'config'),
    HELM_DATA_HOME: join(directory, 'data'),
    HELM_DRIVER: 'secret',
  };
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

async function unlinkedFile(
  directory: string,
  text: string,
): Promise<AsyncDisposable & { readonly descriptor: number }> {
  const place = await mkdtemp(join(directory, 'values-'));
  try {
    const file = await open(join(place, 'values.json'), 'wx+', 0o600);
    await rm(place, { recursive: true });
    await file.writeFile(text);
    return { descriptor: file.fd, [Symbol.asyncDispose]: () => file.close() };
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    throw error;
  }
}
