/** Runs Kolla's tool and ours on generated configurations. `SEED=n` generates others, `CASES=n` more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCases, SAMPLE } from './property/index.ts';
import { fileLimit } from '../../support/file-limit.ts';
import { canRunReference } from './reference.ts';

// With a load of twenty, 5,000 starts of each tool took more than ten minutes.
fileLimit(45);

const skip = (await canRunReference()) ?? false;
const CASES = Number(process.env['CASES'] ?? 2000);
const SEED = Number(process.env['SEED'] ?? SAMPLE.seed);
/** Earlier cases run in property.test.ts. */
const first = SEED === SAMPLE.seed ? SAMPLE.cases : 0;

test(`${CASES} generated configurations have the same result, or differ as documented`, { skip }, async (t) => {
  const { cases, starts, refused, whole, deviations, failures } = await compareCases(SEED, CASES - first, { first });
  t.diagnostic(
    `seed ${SEED}: ${cases} cases, ${starts} starts, ${whole} to their last one, ${refused} rejected by both`,
  );
  for (const [name, count] of Object.entries(deviations)) t.diagnostic(`${count} cases: ${name}`);
  assert.deepEqual(failures, [], `seed ${SEED}: ${JSON.stringify(failures, undefined, 1)}`);
  assert.equal(cases, CASES - first);
  // Otherwise the generator no longer produces useful cases.
  assert.ok(whole > cases / 2, 'most cases come to their last start');
});
