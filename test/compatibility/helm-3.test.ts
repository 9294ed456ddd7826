/** The operator and a chart with Helm 3, until its end: the same tests as with Helm 4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { fileLimit } from '../support/file-limit.ts';

// Three files in one.
fileLimit(40);

process.env['HELM_MAJOR'] = '3';
await import('../integration/kolla-operator.test.ts');
await import('../integration/kolla-operator-workload.test.ts');
await import('../charts/api-server/releases.test.ts');

test('this is Helm 3', { skip: (await canRunHelm()) ?? false }, async () => {
  const { stdout } = await helm('/nonexistent', ['version', '--short']);
  assert.match(stdout, /^v3\./);
});
