/** docs/reference/metrics.md, from the metric families of the helpers. */
import type { Shown } from '../../src/logship/report/view.ts';
import { newCounts } from '../../src/logship/report/counts.ts';
import { Lags, shippingFamilies } from '../../src/logship/serve/index.ts';
import type { Family } from '../../src/net/prometheus.ts';
import { probeFamilies } from '../../src/probe/serve/metrics.ts';
import { componentFamilies } from '../../src/sidecar/parts.ts';

/** A destination with one file, so that every family has a sample from which its labels are read. */
const SHOWN: Shown = {
  pipelines: () => [
    {
      name: 'elasticsearch',
      lagBytes: 0,
      lagSeconds: 0,
      counts: newCounts(),
      outage: undefined,
      checkpointAgeMs: 0,
      waiting: 0,
      memoryBytes: 0,
      dropped: 0,
      fileStates: () => [{ path: 'nova.log', lines: 0, bytes: 0, unread: 0, left: 0, leftOfFormer: 0 }],
    },
  ],
  side: () => ({ reclaimed: 0, syslog: { received: 0, lost: 0, dropped: 0 } }),
};

/** Labels of families with a sample per check or component. */
const LABELS: Readonly<Record<string, string>> = { kolla_probe_check: 'check', kolla_sidecar_component: 'component' };

/** All metrics of all helpers, without duplicates. */
export function allFamilies(): Family[] {
  using lags = new Lags(SHOWN.pipelines);
  return [...probeFamilies([], []), ...componentFamilies([]), ...shippingFamilies(SHOWN, lags)];
}

/** The whole page. */
export function metricsPage(generated: string): string {
  return [
    '# Metrics',
    '',
    generated,
    '',
    "Every metric that `kolla-sidecar`, `kolla-probe serve` and `kolla-log-ship --listen` serve at `/metrics`, in Prometheus' text",
    'format 0.0.4. Labels contain only names: no reason, address or secret. A summary has `_sum` and `_count`.',
    '',
    '```',
    'curl -s http://127.0.0.1:9808/metrics',
    '```',
    '',
    '| metric | type | labels | meaning |',
    '|---|---|---|---|',
    ...allFamilies().map(
      (family) => `| \`${family.name}\` | ${family.type} | ${labelsOf(family).join(' ')} | ${family.help} |`,
    ),
    '',
  ].join('\n');
}

function labelsOf({ name, samples: [sample] }: Family): string[] {
  const prefix = Object.keys(LABELS).find((each) => name.startsWith(each));
  const labels = prefix === undefined ? Object.keys(sample?.labels ?? {}) : [LABELS[prefix]!];
  return labels.map((label) => `\`${label}\``);
}
