import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTemplate, publicError } from '../../src/operator/helm/public-error.ts';

const TEMPLATED = { objects: ['{{ fail "x" }}'] };
const HOOK_4 =
  'pre-upgrade hooks failed: resource Job/openstack/keystone-expand-r3 not ready. status: Failed, message: Job Failed. failed: 1/1';
const TIMEOUT_4 =
  'pre-upgrade hooks failed: resource Job/openstack/keystone-expand-r3 not ready. status: InProgress, message: Job in progress\n' +
  'context deadline exceeded';
const CONFLICT =
  'conflict occurred while applying object openstack/keystone apps/v1, Kind=Deployment: Apply failed with 2 conflicts: ' +
  'conflicts with "kubectl" with subresource "scale" using apps/v1:\n- .spec.replicas\n' +
  'conflicts with "kubectl-set" using apps/v1:\n- .spec.template.spec.containers[name="main"].image';
const HOOK = 'pre-upgrade hooks failed: 1 error occurred:\n\t* job keystone-expand-r3 failed: BackoffLimitExceeded\n\n';

test('a template is found in keys, in lists and in any depth', () => {
  for (const values of [TEMPLATED, { a: { b: [{ c: 'x {{- .y }}' }] } }, { '{{ x }}': 1 }])
    assert.equal(hasTemplate(values), true, JSON.stringify(values));
  for (const values of [{}, { a: '{ {', b: { c: { d: {} } } }, { a: '{%' }])
    assert.equal(hasTemplate(values), false, JSON.stringify(values));
});

test('without templates in values, Helm is shown as it is', () => {
  assert.equal(
    publicError('execution error at (a/templates/b.yaml:1:3): set x', {}),
    'execution error at (a/templates/b.yaml:1:3): set x',
  );
});

test('failed Jobs, conflicts, schemas and locks are shown also with templates', () => {
  const schema = "values don't meet the specifications of the schema(s) in the following chart(s):\nx:\n- at '': a";
  const others = [schema, 'another operation (install/upgrade/rollback) is in progress'];
  for (const error of [HOOK, `Upgrade "keystone" failed: ${HOOK}`, HOOK_4, TIMEOUT_4, CONFLICT, ...others])
    assert.equal(publicError(error, TEMPLATED), error);
});

test('all other errors are shown with templates by their place alone', () => {
  const place = 'a/templates/b.yaml:1:3';
  for (const error of [
    `execution error at (${place}): s3cret`,
    `template: ${place}: executing "a" at <s3cret>: error`,
    `Upgrade "x" failed: execution error at (${place}): s3cret`,
  ])
    assert.match(
      publicError(error, TEMPLATED),
      /^the chart failed at a\/templates\/b\.yaml:1:3; Helm's text is not shown(?!.*s3cret)/,
    );
  for (const error of [
    'Job.batch "x" is invalid: spec.a: Invalid value: "s3cret"',
    `${HOOK.trim()} s3cret`,
    `${HOOK_4} s3cret`,
    `${CONFLICT}\n- .metadata.annotations.s3cret`,
    `${CONFLICT}\ns3cret`,
    'pre-upgrade hooks failed: warning: Hook pre-upgrade x failed: Invalid value: "s3cret"',
    `${'s3cret '.repeat(1000)}${HOOK}`,
    'values may differ: s3cret',
  ])
    assert.match(publicError(error, TEMPLATED), /^the chart failed; Helm's text is not shown(?!.*s3cret)/, error);
});
