/** What follows an upgrade under load, whoever made it. */
import type { Client } from '../client.ts';
import type { Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';
import type { Lasting } from './lasting.ts';
import { rowsOf, type Load, type Phase, type Row } from './load.ts';
import { printOutcome } from './outcome.ts';
import { assertRecords } from './records.ts';
import { removeRemains } from './remains.ts';
import { tracesOf } from './traces.ts';

export interface Loaded {
  readonly stage: Stage;
  readonly timeline: Timeline;
  readonly client: Client;
  readonly load: Load;
  readonly lasting: Lasting;
}

/** Prints what the load met in these phases, ends it, and asserts that records of services and earlier objects are as before. */
export async function endLoad(
  { stage, timeline, client, load, lasting }: Loaded,
  phases: readonly Phase[],
): Promise<Row[]> {
  const rows = rowsOf(await load.samples(), phases);
  printOutcome(rows);
  for (const trace of await tracesOf(stage, rows)) console.log(trace);
  await timeline.step('the load ended, and what it left is deleted', async () => {
    await load.stop();
    return await removeRemains(client);
  });
  await timeline.step('records of services', () => assertRecords(client));
  await timeline.step('objects from before', () => lasting.assertThere());
  return rows;
}
