import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProblem } from '../../src/core/format.ts';

test('data without a format field is version 1, and an unknown version is rejected with the fix', () => {
  for (const found of [undefined, null, 1, '1']) assert.equal(formatProblem(found), undefined);
  for (const found of [2, '2', '', 'x', 0])
    assert.match(
      formatProblem(found) ?? '',
      /^is of format .*, and this kolla-pod knows 1: run the kolla-pod that wrote it/,
    );
});
