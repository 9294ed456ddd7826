import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHelper } from '../support/helper.ts';

const NOTHING_TO_WAIT_FOR = /component waits: nothing to wait for/;

test('--role is still --component, which takes precedence over it', async () => {
  const former = await runHelper('kolla-sidecar', ['--role', 'waits']);
  assert.equal(former.code, 64, former.stderr);
  assert.match(former.stderr, NOTHING_TO_WAIT_FOR);
  const both = await runHelper('kolla-sidecar', ['--component', 'waits'], { env: { KOLLA_SIDECAR_ROLE: 'probe' } });
  assert.equal(both.code, 64, both.stderr);
  assert.match(both.stderr, NOTHING_TO_WAIT_FOR);
});
