import type { Cluster } from './api.ts';

/** A sample in Prometheus' text format. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of one of the API server's metrics. Reading them is one more request. */
export async function metricOf(cluster: Pick<Cluster, 'kubectl'>, name: string): Promise<Sample[]> {
  return samplesIn(await cluster.kubectl(['get', '--raw', '/metrics']), name);
}

/** The samples of one metric in a text. */
export function samplesIn(text: string, name: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => ({
      labels: Object.fromEntries(
        [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [label, value]),
      ),
      value: Number(line.slice(line.lastIndexOf(' ') + 1)),
    }));
}

/**
 * Number of requests with these labels (`verb`, `resource`, `group`, `code`) that were served. A watch counts when it
 * ends; open watches are in `apiserver_longrunning_requests`.
 */
export async function requestCount(
  cluster: Pick<Cluster, 'kubectl'>,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return sum(await metricOf(cluster, 'apiserver_request_total'), labels);
}

/** Number of open watches with these labels. */
export async function openWatches(
  cluster: Pick<Cluster, 'kubectl'>,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return sum(await metricOf(cluster, 'apiserver_longrunning_requests'), { verb: 'WATCH', ...labels });
}

function sum(samples: readonly Sample[], labels: Readonly<Record<string, string>>): number {
  return samples
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((total, { value }) => total + value, 0);
}
