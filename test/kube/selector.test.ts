import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectorText } from '../../src/kube/rollout.ts';

test('a selector is formatted for the API', () => {
  const matchExpressions = [
    { key: 'a', operator: 'In', values: ['x', 'y'] },
    { key: 'b', operator: 'NotIn', values: ['z'] },
    { key: 'c', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ];
  assert.equal(selectorText({ matchLabels: { app: 'x' }, matchExpressions }), 'app=x,a in (x,y),b notin (z),c,!d');
});
