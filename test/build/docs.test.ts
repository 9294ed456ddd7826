import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CHARTS } from '../../build/charts.ts';
import { cataloguePage } from '../../build/docs/catalogue.ts';
import { objectsPage } from '../../build/docs/objects.ts';
import { chartValuesPage } from '../../build/docs/chart-values.ts';
import { withPods } from '../../build/docs/charts.ts';
import { metricsPage } from '../../build/docs/metrics.ts';
import { cliPage, errorsPage, GENERATED } from '../../build/docs/pages.ts';
import { withProbes } from '../../build/docs/probes.ts';
import { rbacPage, withoutExample } from '../../build/docs/rbac.ts';
import { supportPage, type SupportResults } from '../../build/docs/support.ts';
import { evidencePage } from '../../build/evidence.ts';
import { all } from '../../src/toolbox/index.ts';
import { SERVICES } from '../../src/catalog/index.ts';

const SUPPORT = JSON.parse(
  readFileSync(new URL('../../docs/evidence/support.json', import.meta.url), 'utf8'),
) as SupportResults;

for (const [name, page] of [
  ['../evidence/README.md', evidencePage(GENERATED)],
  ['cli.md', `${cliPage(all())}\n`],
  ['errors.md', errorsPage()],
  ['rbac.md', rbacPage(GENERATED)],
  ['catalogue.md', cataloguePage(SERVICES, GENERATED)],
  ['metrics.md', metricsPage(GENERATED)],
  ['chart-values.md', chartValuesPage(GENERATED)],
  ['objects.md', objectsPage(GENERATED)],
  ['support.md', supportPage(SUPPORT, GENERATED)],
  ['kolla-probe.md', withProbes(readFileSync(new URL('../../docs/reference/kolla-probe.md', import.meta.url), 'utf8'))],
] as const) {
  test(`docs/reference/${name} matches the tables (to update: make docs)`, async () => {
    const stands = (await readFile(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8')).split('\n');
    const should = page.split('\n');
    // Shows only the first line that differs, which is more useful than two whole pages.
    const at = should.findIndex((line, i) => line !== stands[i]);
    assert.equal(stands[at], should[at]);
    assert.equal(stands.length, should.length);
  });
}

test('k8s/charts/README.md names all Pods that do not pass `restricted` (to update: make docs)', async () => {
  const stands = await readFile(`${CHARTS}README.md`, 'utf8');
  assert.equal(stands, withPods(stands));
});

test('docs/reference/rbac.md has a Role for every kind of object', () => {
  assert.deepEqual(withoutExample(), []);
});
