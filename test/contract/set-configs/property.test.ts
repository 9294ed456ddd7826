/** Runs Kolla's tool and ours on a sample of the generated configurations. at-length.test.ts runs the others. */
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
