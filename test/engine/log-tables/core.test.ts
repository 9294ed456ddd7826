/** The host's interpreter of log tables: a short run of `make soak`'s bench/soak/log-tables-fuzz.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBuildCore, isSanitized } from '../../cluster/core-binary.ts';
import { interpreting } from './run.ts';

/** Sanitized, a round takes ten times as long. */
const ROUNDS = isSanitized ? 60 : 300;
/** In which several events of a file were out of reach at once, and ended in another order. */
const SEVERAL_UNREACHED = [110_000_016, 110_000_247, 110_000_322];
const skip = (await canBuildCore()) ?? false;

test(
  'the host and the reference write the same requests, stop at the same lines and leave the same events open',
  { skip },
  async () => {
    await using host = await interpreting();
    assert.equal(await host.difference(1, ROUNDS), undefined);
    for (const round of SEVERAL_UNREACHED) assert.equal(await host.difference(round, 1), undefined);
  },
);

test('damaged tables and layouts are refused or do no harm', { skip }, async () => {
  await using host = await interpreting();
  const { refused, used } = await host.damaged(1, ROUNDS);
  assert.equal(refused + used, ROUNDS);
  assert.ok(refused > ROUNDS / 10 && used > ROUNDS / 10, `${refused} refused, ${used} used`);
});
