/** kolla-probe serve as a process: it starts no children, and its descriptors and threads do not grow. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { growthOf } from '../../bench/soak/growth.ts';
import { startProbedPod } from '../../bench/soak/probed-pod.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { until } from '../support/until.ts';
const ROUNDS = 100;
/** A check is unhealthy after three periods, and unseen after four. */
const PERIOD = '3s';

test('with twenty concurrent checks descriptors and threads do not grow, and every request is served', async () => {
  await using pod = await startProbedPod(PERIOD);
  await growthOf(pod, { runs: 2 * pod.checks });
  const seen = await growthOf(pod, { runs: ROUNDS });
  assert.equal(seen.bad, 0);
  assert.ok(seen.descriptors[1] <= seen.descriptors[0] + 4, `descriptors ${seen.descriptors.join(' and then ')}`);
  assert.ok(seen.threads[1] <= seen.threads[0], `threads ${seen.threads.join(' and then ')}`);
});

test(
  'a hundred probes and a hundred runs of checks start no process',
  { skip: (await canTrace()) ?? false },
  async () => {
    await using directory = await privateDirectory('traced');
    const file = join(directory.path, 'trace');
    await using pod = await startProbedPod(PERIOD, { strace: 'strace', file });
    for (let i = 0; i < ROUNDS; i++) assert.equal(await pod.ask(i % 2 === 0 ? '/readyz' : '/livez'), 200);
    await until(`${ROUNDS} rounds of local checks`, async () => ((await pod.runs()) >= ROUNDS ? true : undefined));
    const calls = readFileSync(file, 'utf8');
    // Its own start is an exec, so the trace contains one.
    assert.deepEqual(
      [...calls.matchAll(/execve\(.*/g)].map(([call]) => /execve\("([^"]+)"/.exec(call)?.[1]),
      [process.execPath],
    );
    assert.doesNotMatch(calls, /\bv?fork\(/);
  },
);

async function canTrace(): Promise<string | undefined> {
  const tried = await run('strace', ['-f', '-o', '/dev/null', 'true']).catch(() => undefined);
  return tried?.code === 0 ? undefined : 'no strace that may trace';
}
