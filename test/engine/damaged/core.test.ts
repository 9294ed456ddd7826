/** A short run of `make soak`'s bench/soak/tls-fuzz.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBuildCore } from '../../cluster/core-binary.ts';
import { asking } from './run.ts';

const COUNT = 1000;
const SEED = 7;

test(
  'damaged certificates, records and answers each have a reason',
  { skip: (await canBuildCore()) ?? false },
  async () => {
    await using client = await asking(SEED);
    const { reasons, found } = await client.batch(0, COUNT);
    assert.equal(found, undefined);
    assert.equal(
      Object.values(reasons).reduce((sum, count) => sum + count, 0),
      COUNT,
    );
    // The damage is done in many places, and not everything is damaged.
    assert.ok(Object.keys(reasons).length > 30, JSON.stringify(reasons));
    for (const reason of ['status 0', 'the server does not speak TLS', 'connection reset (ECONNRESET)'])
      assert.ok((reasons[reason] ?? 0) > 10, JSON.stringify(reasons));
  },
);
