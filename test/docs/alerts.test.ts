import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ownMetrics, rules } from './metrics.ts';

const readPage = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = await readPage('how-to/operations.md');

/** Programs whose names look like those of metrics. */
const NAMES = new Set(['kolla_start', 'kolla_set_configs', 'kolla_copy_cacerts', 'kolla_extend_start']);

/** Metrics of kube-state-metrics, taken from its documentation. */
const OTHERS = ['kube_pod_init_container_status_running', 'kube_job_status_failed', 'kube_job_failed'];

test('alerts use existing metrics', async () => {
  const known = new Set([...ownMetrics(), ...OTHERS]);
  const all = await rules();
  assert.notDeepEqual(all, []);
  for (const { alert, expr } of all) {
    const named = [...expr.matchAll(/\b(?:kolla|kube)_[a-z_]+/g)].map(([name]) => name);
    assert.ok(named.length > 0, alert);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
      alert,
    );
  }
});

test('the reference has a row for every served metric, and pages name no other', async () => {
  const own = ownMetrics();
  const reference = await readPage('reference/metrics.md');
  const rows = [...reference.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(rows.toSorted(), [...own].toSorted());
  const pages = await Promise.all(['kolla-probe', 'kolla-sidecar'].map((name) => readPage(`reference/${name}.md`)));
  const named = [page, ...pages].flatMap((text) => [
    ...text.matchAll(/`(kolla_(?!pod_fence|pod_record)[a-z_]*[a-z])/g),
  ]);
  assert.deepEqual(
    named.map(([, name = '']) => name).filter((name) => !own.has(name) && !NAMES.has(name)),
    [],
  );
});

test('the page has every alert, and no other', async () => {
  const alerts = [...page.matchAll(/^\| `(Kolla\w+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(alerts.toSorted(), (await rules()).map(({ alert }) => alert).toSorted());
});
