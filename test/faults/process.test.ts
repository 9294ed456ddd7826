import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canHaveSmallDisk } from '../cluster/small-disk.ts';
import {
  CONTROLS,
  DISK_FAULTS,
  KILL_FAULTS,
  PROCESS_FAULTS,
  rowOf,
  runFault,
  sinkDestination,
  type Size,
  WITHOUT_CHECKPOINT,
} from './index.ts';
import { judgeEach } from './judged.ts';
import { SAMPLE } from './sample.ts';

const FEW_KILLS: Size = { ...SAMPLE, kills: 3 };

judgeEach('random kills', KILL_FAULTS, SAMPLE);
judgeEach('faults of the shipper', [...PROCESS_FAULTS, WITHOUT_CHECKPOINT], FEW_KILLS);
judgeEach('full disk', DISK_FAULTS, SAMPLE, (await canHaveSmallDisk()) ?? false);

describe('control runs that must duplicate lines', { concurrency: CONTROLS.length }, () => {
  for (const control of CONTROLS) {
    test(`${control.name}: duplicates are found, and nothing is lost`, async (t) => {
      await using sink = await sinkDestination(SAMPLE.seed);
      const row = await runFault(control, sink, FEW_KILLS);
      t.diagnostic(rowOf(row));
      assert.ok(row.doubled > 0, rowOf(row));
      assert.equal(row.lost, 0, rowOf(row));
    });
  }
});
