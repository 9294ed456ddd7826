import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { runHelper } from '../../support/helper.ts';

const EXAMPLE = new URL('../../../k8s/examples/upgrade/rbac.yaml', import.meta.url);

test("the upgrade's Roles equal the output of the commands in their file, for the ServiceAccounts of its Jobs and Pods", async () => {
  const text = await readFile(EXAMPLE, 'utf8');
  const lines = [...text.matchAll(/^# {3}(kolla-\S+) (.*)$/gm)];
  assert.equal(lines.length, 2);
  const printed: unknown[] = [];
  for (const [, helper = '', words = ''] of lines) {
    const { code, stdout, stderr } = await runHelper(helper, words.split(' '));
    assert.equal(code, 0, stderr);
    printed.push(...loadAll(stdout));
  }
  const [account, ...roles] = loadAll(text) as [{ kind: string }, ...unknown[]];
  assert.equal(account.kind, 'ServiceAccount');
  assert.deepEqual(roles, printed);
});
