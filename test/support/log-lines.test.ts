import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLines, TRACEBACK } from './log-lines.ts';

const linesOf = (options: Parameters<typeof logLines>[0]) => [...logLines(options)].join('').trimEnd().split('\n');

test('each line has its number, and the mean length is as documented', () => {
  const lines = linesOf({ events: 20_000, from: 100 });
  assert.deepEqual(
    lines.map((line) => Number(/seq=(\d+)$/.exec(line)?.[1])),
    Array.from({ length: 20_000 }, (_, i) => 100 + i),
  );
  const mean = Buffer.byteLength(lines.join('\n')) / lines.length;
  assert.ok(mean > 222 && mean < 232, `${mean} bytes`);
});

test('the same seed yields the same lines, a different seed others', () => {
  const [one, same, other] = [1, 1, 2].map((seed) => linesOf({ events: 50, seed }).join('\n'));
  assert.equal(one, same);
  assert.notEqual(one, other);
});

test("each traceback is complete, interleaved with other workers' lines", () => {
  const lines = linesOf({ events: 100, tracebackEvery: 20 });
  const raised = lines.filter((line) => !line.includes('seq='));
  assert.equal(raised.length, 5 * TRACEBACK.length);
  const firsts = lines.flatMap((line, at) => (line.endsWith(TRACEBACK[0]!) ? [at] : []));
  for (const at of firsts) {
    const pid = lines[at]!.split(' ')[2];
    const said = lines.slice(at).filter((line) => line.split(' ')[2] === pid);
    const texts = said.slice(0, TRACEBACK.length).map((line) => line.split('nova.compute.manager ')[1]);
    assert.deepEqual(texts, TRACEBACK);
  }
  assert.ok(firsts.some((at) => lines[at + 1]!.includes('seq=')));
});
