import { test } from 'node:test';
import { canRunElasticsearch9, startElasticsearch9 } from '../cluster/elasticsearch-9.ts';
import { assertOnce, dataStreamDestination, ROLLOVERS, rowOf, runFault } from '../faults/index.ts';
import { SAMPLE } from '../faults/sample.ts';

const skip = (await canRunElasticsearch9()) ?? false;

test(`${ROLLOVERS.name}: no line lost or duplicated`, { skip }, async (t) => {
  await using server = await startElasticsearch9();
  await using stream = await dataStreamDestination(server, 'logs-rollovers-default');
  const row = await runFault(ROLLOVERS, stream, SAMPLE);
  t.diagnostic(rowOf(row));
  assertOnce(row);
});
