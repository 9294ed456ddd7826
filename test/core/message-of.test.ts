import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../src/core/errors.ts';

test('an error at the end of a block is told after the one in it', async () => {
  const work = async () => {
    await using _ = { [Symbol.asyncDispose]: () => Promise.reject(new Error('the node is gone')) };
    throw new Error('the upgrade failed');
  };
  assert.equal(messageOf(await work().catch((error: unknown) => error)), 'the upgrade failed; then the node is gone');
});
