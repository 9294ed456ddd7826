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

test('with twenty concurrent checks descriptors and threads do not grow, and every request is served', async () => {
  await using pod = await startProbedPod('200ms');
  await growthOf(pod, 2);
  const seen = await growthOf(pod, 4);
  assert.equal(seen.bad, 0);
  assert.ok(seen.answers >= 5);
  assert.ok(seen.descriptors[1] <= seen.descriptors[0] + 4, `descriptors ${seen.descriptors.join(' and then ')}`);
  assert.ok(seen.threads[1] <= seen.threads[0], `threads ${seen.threads.join(' and then ')}`);
});

test(
  'a hundred probes and a hundred runs of checks start no process',
  { skip: (await canTrace()) ?? false },
  async () => {
    await using directory = await privateDirectory('traced');
    const file = join(directory.path, 'trace');
    await using pod = await startProbedPod('500ms', { strace: 'strace', file });
    for (let i = 0; i < ROUNDS; i++) assert.equal(await pod.ask(i % 2 === 0 ? '/readyz' : '/livez'), 200);
    const asked = async () => {
      const { body } = await page(pod.port, '/metrics');
      const counts = [...body.matchAll(/^kolla_probe_check_duration_seconds_count\S+ (\d+)$/gm)].map(([, n]) =>
        Number(n),
      );
      return counts.reduce((sum, n) => sum + n, 0);
    };
    await until(`${ROUNDS} rounds of local checks`, async () => ((await asked()) >= ROUNDS ? true : undefined));
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

async function page(port: number, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.text() };
}
