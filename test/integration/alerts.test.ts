/** k8s/monitoring's rules, checked and evaluated by Prometheus' own promtool. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { ruleFile, rules } from '../docs/metrics.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

const skip = (await canUnpackDebian()) ?? false;

async function promtool(): Promise<string> {
  return join(await unpackedPackages('prometheus', ['prometheus'], { dependencies: false }), 'usr/bin/promtool');
}

/** Jobs that have failed permanently: one of a release, and one that `helm upgrade` runs after it. */
const FAILED = ['keystone-bootstrap-1a2b3c', 'nova-restart-r3'];
/** A failed upgrade check: nothing was changed, and kolla-operator reports it. */
const CHECK = 'keystone-upgrade-1a2b3c-check';

/** For each alert the series that make it fire after an hour with one set of values a minute, and not with the other. */
const SERIES: Readonly<Record<string, readonly [series: string | readonly string[], fires: string, silent: string]>> = {
  KollaCheckFails: ['kolla_probe_check_up{pod="p",check="api"}', '0x60', '0x5 1x55'],
  KollaCheckFlaps: ['kolla_probe_check_transitions_total{pod="p",check="api"}', '0+1x60', '3x60'],
  KollaComponentFails: ['kolla_sidecar_component_up{pod="p",component="log-ship"}', '0x60', '1x60'],
  KollaComponentRestarts: ['kolla_sidecar_component_failures_total{pod="p",component="log-ship"}', '0+1x60', '2x60'],
  KollaLogsNotShipped: ['kolla_log_ship_outage{pod="p",to="elasticsearch"}', '1x60', '0x60'],
  KollaLogVolumeFills: ['kolla_log_ship_lag_bytes{pod="p",to="elasticsearch"}', '600000000x60', '1000x60'],
  KollaLogLinesRefused: ['kolla_log_ship_dead_letters_total{pod="p",to="elasticsearch"}', '0+1x60', '7x60'],
  KollaLogLinesLost: ['kolla_log_ship_lost_bytes_total{pod="p",to="elasticsearch"}', '0+9x60', '9x60'],
  KollaInitWaits: ['kube_pod_init_container_status_running{pod="p",container="kolla-init"}', '1x60', '1x20 0x40'],
  KollaJobFailed: [FAILED.map((name) => `kube_job_status_failed{namespace="n",job_name="${name}"}`), '1x60', '0x60'],
};

test('every alert fires when it should, and only then', { skip }, async () => {
  const all = await rules();
  assert.deepEqual(Object.keys(SERIES).toSorted(), all.map(({ alert }) => alert).toSorted());
  await using directory = await privateDirectory('alerts');
  const [file, tests] = [join(directory.path, 'rules.json'), join(directory.path, 'tests.json')];
  await writeFile(file, JSON.stringify(await ruleFile()));
  const program = await promtool();
  assert.match(await must(program, ['check', 'rules', file]), new RegExp(`${all.length} rules found`));
  const failed = [
    ...[...FAILED, CHECK].map((name) => `kube_job_failed{namespace="n",job_name="${name}",condition="true"}`),
    `kube_job_status_failed{namespace="n",job_name="${CHECK}"}`,
  ].map((series) => ({ series, values: '1x60' }));
  const wanted = Object.entries(SERIES).flatMap(([alert, [series, fires, silent]]) =>
    [fires, silent].map((values) => ({
      interval: '1m',
      input_series: [...[series].flat().map((each) => ({ series: each, values })), ...failed],
      // Labels and annotations would have to match exactly, while only the number of firing alerts matters here.
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
          eval_time: '1h',
          exp_samples: [{ labels: '{}', value: values === fires ? [series].flat().length : 0 }],
        },
      ],
    })),
  );
  await writeFile(tests, JSON.stringify({ rule_files: [file], evaluation_interval: '1m', tests: wanted }));
  assert.match(await must(program, ['test', 'rules', tests]), /SUCCESS/);
});
