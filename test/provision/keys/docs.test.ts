import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { keystone } from '../../../src/catalog/keystone.ts';

const page = await readFile(new URL('../../../docs/how-to/keystone-keys.md', import.meta.url), 'utf8');

test("the page lists every key repository at the catalogue's path", () => {
  for (const { name, secret, directory } of keystone.keys ?? []) {
    assert.match(page, new RegExp(`^\\| \`${name}\` \\| \`${secret}\` \\| \`${directory}\` \\|`, 'm'));
    assert.ok(page.includes(`mountPath: ${directory}, readOnly: true`));
    assert.ok(page.includes(`secret: { secretName: ${secret}, defaultMode: 0440 }`));
  }
});

test("the page's YAML is valid, and its CronJob runs an existing command", () => {
  const blocks = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, text = '']) => load(text));
  const [, cron] = blocks as [
    object,
    { spec: { jobTemplate: { spec: { template: { spec: { containers: { command: string[] }[] } } } } } },
  ];
  assert.deepEqual(cron.spec.jobTemplate.spec.template.spec.containers[0]?.command, [
    'kolla-bootstrap',
    'keys',
    'rotate',
    'keystone',
    'fernet',
  ]);
});
