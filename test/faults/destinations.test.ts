import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sinkDestination } from './index.ts';
import { judge, rowOf } from './row.ts';
import { assertOnce } from './run.ts';
import { SAMPLE } from './sample.ts';
import { taken } from './server-faults.ts';
import { openSite } from './site.ts';

test('with one of two destinations down and the shipper killed, both receive every line', async (t) => {
  await using away = await sinkDestination(SAMPLE.seed);
  await using there = await sinkDestination(SAMPLE.seed);
  await using site = await openSite();
  const args = ['--to', `elasticsearch=${away.sink.url}`, '--to', `opensearch=${there.sink.url}`, '--grace', '50s'];
  await away.sink.set({ status: 503 });
  await using first = await site.ship(args);
  await first.isUp;
  await using writer = await site.write({ to: SAMPLE.events, rotation: 'rename', rotateEvery: 8000 });
  await taken(there.sink, 1000);
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  await using second = await site.ship(args);
  assert.equal(await writer.ended, 0, site.log());
  await taken(there.sink, SAMPLE.events);
  await away.sink.set({});
  assert.equal(await second.stop(), 0, site.log());
  for (const [name, to] of Object.entries({ away, there })) {
    const row = judge(`two destinations: the one that was ${name}`, site.truths(), await to.messages());
    t.diagnostic(rowOf(row));
    assertOnce(row);
  }
});
