/**
 * The table in k8s/charts/README.md: Pods that do not pass `restricted`, the permissions they need, and why. From
 * defaults.yaml.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { CHARTS, chartNames, DEFAULTS } from '../charts.ts';

const OPEN = '<!-- pods: made by `make docs` from the values of the charts -->';
const CLOSE = '<!-- end pods -->';

interface Reason {
  readonly reason?: string;
}

/** The fields of a workload's values used for the table. */
interface Workload {
  readonly kind?: string;
  readonly user?: { readonly uid?: number };
  readonly hostNetwork?: Reason;
  readonly hostPID?: Reason;
  readonly hostIPC?: Reason;
  readonly restricted?: { readonly exempt?: string };
  readonly securityContext?: { readonly privileged?: boolean };
  readonly volumes?: Readonly<Record<string, { readonly source?: { readonly hostPath?: { readonly path: string } } }>>;
}

/** The page with its table updated from the values. Error if the page lacks the two markers. */
export function withPods(page: string): string {
  const [start, end] = [page.indexOf(OPEN), page.indexOf(CLOSE)];
  if (start < 0 || end < start) throw new Error(`the page lacks the table's markers: ${OPEN} and ${CLOSE}`);
  return `${page.slice(0, start + OPEN.length)}\n\n${table().join('\n')}\n\n${page.slice(end)}`;
}

function table(): string[] {
  const rows = chartNames().flatMap((chart) =>
    Object.entries(workloadsOf(chart)).flatMap(([key, workload]) => {
      const exempt = workload.restricted?.exempt ?? '';
      return exempt === '' ? [] : [`| ${chart} | ${key} | ${exempt} | ${asksFor(workload).join('; ')} |`];
    }),
  );
  return ['| chart | workload | because it | it requires |', '|---|---|---|---|', ...rows];
}

function workloadsOf(chart: string): Readonly<Record<string, Workload>> {
  const values = load(readFileSync(join(CHARTS, chart, DEFAULTS), 'utf8')) as {
    workloads?: Record<string, Workload>;
  };
  return values.workloads ?? {};
}

function asksFor({ user, securityContext, volumes = {}, hostNetwork, hostPID, hostIPC }: Workload): string[] {
  const paths = Object.values(volumes).flatMap(({ source }) => source?.hostPath?.path ?? []);
  const hosts = Object.entries({ 'host network': hostNetwork, 'host PIDs': hostPID, 'host IPC': hostIPC });
  return [
    ...(securityContext?.privileged === true ? ['privileged'] : []),
    ...(user?.uid === 0 ? ['root'] : []),
    ...hosts.flatMap(([name, asked]) => (asked?.reason ? [`${name} (${asked.reason})`] : [])),
    ...(paths.length === 0 ? [] : [paths.map((path) => `\`${path}\``).join(' ')]),
  ];
}
