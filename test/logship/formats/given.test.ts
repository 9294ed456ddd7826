import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, UsageError } from '../../../src/core/errors.ts';
import { formatRules, labelsOf } from '../../../src/logship/formats/options.ts';
import { privateDirectory } from '../../../tools/directory.ts';

test('a format is given by a glob, relative to the root unless absolute', () => {
  assert.deepEqual(formatRules(['*/a=b.log=oslo', '/srv/*.log=whole'], '/logs'), [
    { glob: '/logs/*/a=b.log', format: 'oslo' },
    { glob: '/srv/*.log', format: 'whole' },
  ]);
});

test('an unknown format is reported with the nearest one', () => {
  assert.throws(
    () => formatRules(['*.log=osol'], '/logs'),
    (error: Error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /'osol' is not one of oslo, .*did you mean/);
      return true;
    },
  );
  assert.throws(() => formatRules(['*.log=toString'], '/logs'), UsageError);
  assert.throws(() => formatRules(['*.log'], '/logs'), /write it as/);
});

test('labels come from the downward API and from --label, which takes precedence', async () => {
  await using directory = await privateDirectory('labels');
  const file = join(directory.path, 'labels');
  await writeFile(file, 'app.kubernetes.io/name="keystone"\nregion="one"\n');
  assert.deepEqual(labelsOf(['region=two'], file), { 'app.kubernetes.io/name': 'keystone', region: 'two' });
  assert.equal(labelsOf([], undefined), undefined);
});

test('a missing or malformed labels file is reported with its place', async () => {
  await using directory = await privateDirectory('labels');
  const file = join(directory.path, 'labels');
  await writeFile(file, 'a="b"\nc=d\n');
  assert.throws(
    () => labelsOf([], file),
    (error: Error) => error instanceof ConfigError && error.message.includes('line 2'),
  );
  assert.throws(() => labelsOf([], join(directory.path, 'none')), ConfigError);
  assert.throws(() => labelsOf(['a'], undefined), UsageError);
});
