import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { givenKubeSource } from '../../src/kube/source.ts';
import { privateFolder } from '../../tools/folder.ts';

const IN_POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: '/root' };

test('an API server is given by a kubeconfig, or by a Pod whose ServiceAccount is mounted', async () => {
  await using folder = await privateFolder('service-account');
  assert.equal(givenKubeSource(undefined, IN_POD, folder.path), undefined);
  await writeFile(join(folder.path, 'token'), 'secret');
  assert.equal(givenKubeSource(undefined, IN_POD, folder.path)?.kind, 'in-cluster');
  assert.equal(givenKubeSource(undefined, {}, folder.path), undefined);
  assert.deepEqual(givenKubeSource('/a', {}, folder.path), { kind: 'kubeconfig', files: ['/a'] });
});
