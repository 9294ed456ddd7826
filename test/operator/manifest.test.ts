import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { RELEASES, UPGRADE_STAGES } from '../../src/catalog/index.ts';
import { chartNames } from '../../build/charts.ts';
import { withChartNames } from '../../build/docs/crds.ts';
import { runHelper } from '../support/helper.ts';

const textOf = (path: string) => readFileSync(new URL(`../../k8s/${path}`, import.meta.url), 'utf8');

test('the manifest has the Role that the operator prints', async () => {
  const { stdout } = await runHelper('kolla-operator', ['rbac', '-n', 'openstack']);
  const objects = loadAll(textOf('operator/operator.yaml')) as { kind: string }[];
  const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'RoleBinding');
  assert.deepEqual(roles, loadAll(stdout));
});

test('the CRDs have the releases and charts of the catalogue', () => {
  const releases = `['${RELEASES.join("', '")}']`;
  const [openstack, service] = [textOf('crds/openstacks.yaml'), textOf('crds/openstackservices.yaml')];
  for (const text of [openstack, service]) {
    assert.ok(text.includes(`self in ${releases}`));
    assert.ok(text.includes(`known releases: ${RELEASES.join(', ')}`));
  }
  const names = UPGRADE_STAGES.flat().toSorted();
  assert.ok(openstack.replaceAll(/\s+/g, ' ').includes(`must be one of ${names.join(', ')}`));
  assert.equal(openstack, withChartNames(openstack), 'to update: make docs');
});

test('every chart is in a stage of an upgrade, and every stage names charts', () => {
  assert.deepEqual(UPGRADE_STAGES.flat().toSorted(), chartNames(), "set the service's stage in src/catalog");
  for (const charts of UPGRADE_STAGES) assert.notDeepEqual(charts, []);
});

test('a CRD without the rule for charts is an error', () => {
  assert.throws(() => withChartNames('spec:\n'), /the CRD has no folded block 'self\.all/);
});

test('the CRDs reject a timeout of zero, which Helm takes as none', () => {
  for (const name of ['openstacks', 'openstackservices']) {
    const pattern = /timeout:\n.*\n.*\n.*\n +pattern: (.*)/.exec(textOf(`crds/${name}.yaml`))?.[1];
    assert.ok(pattern !== undefined, name);
    for (const text of ['1h', '30m', '1h30m', '0h30m', '1h0m0s', '100ms', '05s', '10m'])
      assert.match(text, new RegExp(pattern));
    for (const text of ['0s', '00m', '0h0m', '', '5', '-5m', '1h30']) assert.doesNotMatch(text, new RegExp(pattern));
  }
});
