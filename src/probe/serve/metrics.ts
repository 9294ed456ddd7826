import { VERSION } from '../../core/version.ts';
import { processFamilies, type Family, type Sample } from '../../net/prometheus.ts';
import { healthOf, ROLES, type Part } from './part.ts';
import type { CheckStatus } from './resident-check.ts';

/**
 * Metrics of probes. They contain only names of checks and numbers: any client of the Pod can read them, and a reason
 * may name other hosts.
 * @param parts the checks and everything else that affects probes
 */
export function probeFamilies(checks: readonly CheckStatus[], parts: readonly Part[]): Family[] {
  const ofEach = (value: (check: CheckStatus) => number): Sample[] =>
    checks.map((check) => ({ labels: { check: check.name }, value: value(check) }));
  return [
    {
      name: 'kolla_probe_up',
      type: 'gauge',
      help: 'Whether a probe would succeed (1) or not (0).',
      samples: ROLES.map((probe) => ({ labels: { probe }, value: Number(healthOf(probe, parts).isOk) })),
    },
    {
      name: 'kolla_probe_check_up',
      type: 'gauge',
      help: 'Whether a check is healthy (1) or not (0); 0 until its first verdict.',
      samples: ofEach(({ state }) => Number(state === 'healthy')),
    },
    {
      name: 'kolla_probe_check_duration_seconds',
      type: 'summary',
      help: 'Duration of the runs of a check, and their number.',
      samples: checks.flatMap(({ name, asked, totalMs }): Sample[] => [
        { suffix: '_sum', labels: { check: name }, value: totalMs / 1000 },
        { suffix: '_count', labels: { check: name }, value: asked },
      ]),
    },
    {
      name: 'kolla_probe_check_failures_total',
      type: 'counter',
      help: 'Failed runs of a check.',
      samples: ofEach(({ failed }) => failed),
    },
    {
      name: 'kolla_probe_check_transitions_total',
      type: 'counter',
      help: "Changes of a check's verdict, not counting the first one.",
      samples: ofEach(({ changes }) => changes),
    },
    {
      name: 'kolla_pod_info',
      type: 'gauge',
      help: 'Version of this helper.',
      samples: [{ labels: { version: VERSION }, value: 1 }],
    },
    ...processFamilies(),
  ];
}
