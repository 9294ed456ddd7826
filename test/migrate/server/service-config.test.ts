import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueIn, variableOf } from '../../../src/migrate/server/service-config.ts';

const PLACE = { section: 'default', key: 'database_url' };

test('a URL is read from YAML', async () => {
  const text = 'default:\n  debug: true\n  database_url: mysql://skyline:p@h/skyline\n';
  assert.equal(await valueIn('/etc/skyline/skyline.yaml', text, PLACE, {}), 'mysql://skyline:p@h/skyline');
});

test('a missing or non-text URL in YAML is not set', async () => {
  for (const text of ['', 'default:\n', 'default: []\n', 'default: { database_url: 7 }\n', 'other: 1\n'])
    assert.equal(await valueIn('a.yaml', text, PLACE, {}), undefined, text);
});

test('invalid YAML is rejected with its line, not its text', async () => {
  const text = 'default:\n  database_url: "mysql://u:hunter2@h/d\n';
  await assert.rejects(valueIn('a.yaml', text, PLACE, {}), (error: Error) => {
    assert.match(error.message, /not YAML: the quote of line 2 is not closed$/);
    return !error.message.includes('hunter2');
  });
});

test("the variable of an option follows oslo.config's naming", () => {
  assert.equal(
    variableOf('/etc/nova/nova.conf', { section: 'api_database', key: 'connection' }),
    'OS_API_DATABASE__CONNECTION',
  );
});

test('an option that oslo.config reads from no variable has none', () => {
  assert.equal(variableOf('/etc/skyline/skyline.yaml', PLACE), undefined);
  assert.equal(
    variableOf('/etc/designate/designate.conf', { section: 'storage:sqlalchemy', key: 'connection' }),
    undefined,
  );
});
