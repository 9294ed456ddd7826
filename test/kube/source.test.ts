import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { givenKubeSource } from '../../src/kube/source.ts';
import { privateDirectory } from '../../tools/directory.ts';

const IN_POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: '/root' };

test('the API server comes from a kubeconfig, or from a mounted ServiceAccount', async () => {
  await using directory = await privateDirectory('service-account');
  assert.equal(givenKubeSource(undefined, IN_POD, directory.path), undefined);
  await writeFile(join(directory.path, 'token'), 'secret');
  assert.equal(givenKubeSource(undefined, IN_POD, directory.path)?.kind, 'in-cluster');
  assert.equal(givenKubeSource(undefined, {}, directory.path), undefined);
  assert.deepEqual(givenKubeSource('/a', {}, directory.path), { kind: 'kubeconfig', files: ['/a'] });
});
