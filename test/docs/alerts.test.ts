import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ownMetrics, rules } from './metrics.ts';

const page = await readFile(new URL('../../docs/how-to/operations.md', import.meta.url), 'utf8');

/** Of kube-state-metrics, as its documentation has them. */
const OTHERS = ['kube_pod_init_container_status_running', 'kube_job_status_failed', 'kube_job_failed'];

test('alerts ask for metrics that there are', async () => {
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

test('the page has every metric and every alert, and none else', async () => {
  const shown = [...page.matchAll(/`(kolla_[a-z_]*[a-z])`/g)].map(([, name = '']) => name);
  const own = ownMetrics();
  // Of log shipping its own page has all.
  const others = [...own].filter((name) => /^kolla_(?!log_ship_)/.test(name));
  assert.deepEqual(
    others.filter((name) => !shown.includes(name)),
    [],
  );
  assert.deepEqual(
    shown.filter((name) => !own.has(name)),
    [],
  );
  const alerts = [...page.matchAll(/^\| `(Kolla\w+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(alerts.toSorted(), (await rules()).map(({ alert }) => alert).toSorted());
});
