import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExitCode, KollaError } from '../../../src/core/errors.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import type { KubeClient } from '../../../src/kube/types.ts';
import { readCloud } from '../../../src/toolbox/cloud/read.ts';

const { signal } = new AbortController();

test('what the API server refuses, or that it does not answer, is no bug', async () => {
  const refusals = [
    [new ApiError(403, 'openstacks.kolla-pod.io is forbidden'), ExitCode.notPermitted],
    [new ApiError(503, 'the server is currently unable to handle the request'), ExitCode.unavailable],
    [new Error('connect ECONNREFUSED 127.0.0.1:6443'), ExitCode.unavailable],
  ] as const;
  for (const [refusal, code] of refusals) {
    const get = () => Promise.reject(refusal);
    const client = { namespace: 'openstack', server: 'https://127.0.0.1:6443', get } as unknown as KubeClient;
    await assert.rejects(readCloud(client, signal), (error: Error) => {
      assert.ok(error instanceof KollaError, error.message);
      assert.ok(error.message.includes(refusal.message));
      return error.exitCode === code;
    });
  }
});
