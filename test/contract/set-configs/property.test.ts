/** A sample of the generated configurations, by Kolla's tool and by ours; the rest is in at-length.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCases, SAMPLE } from './property/index.ts';
import { canRunReference } from './reference.ts';

const skip = (await canRunReference()) ?? false;

test('the first generated configurations have the same result, or differ as documented', { skip }, async () => {
  const { cases, failures } = await compareCases(SAMPLE.seed, SAMPLE.cases);
  assert.deepEqual(failures, [], JSON.stringify(failures, undefined, 1));
  assert.equal(cases, SAMPLE.cases);
});
