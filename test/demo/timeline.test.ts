import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawSvg, drawText, type Span } from '../../demo/timeline.ts';

const SPANS: readonly Span[] = [
  { actor: 'mariadb', label: 'up', start: 0, end: 10_000, kind: 'server' },
  { actor: 'kolla-init', label: 'waits & copies <files>', start: 0, end: 5000, kind: 'wait' },
  { actor: 'kolla-probe', label: 'healthy', start: 9990, end: 9991, kind: 'healthy' },
];

test('actors have one row each, in order of appearance, and no row is wider than the terminal', () => {
  const lines = drawText(SPANS, 60).split('\n');
  assert.deepEqual(
    lines.slice(0, 3).map((line) => line.split('│')[0]?.trim()),
    ['mariadb', 'kolla-init', 'kolla-probe'],
  );
  for (const line of lines) assert.ok(line.length <= 60, line);
});

test("a bar's length is its share of the total, and the shortest is still visible", () => {
  const [mariadb = '', init = '', probe = ''] = drawText(SPANS, 100).split('\n');
  const blocks = (line: string) => (line.match(/[░▒▓█]/g) ?? []).length;
  assert.ok(Math.abs(blocks(init) * 2 - blocks(mariadb)) <= 2);
  assert.equal(blocks(probe), 1);
});

test('the picture contains every span and no unescaped markup', () => {
  const svg = drawSvg("a pod's life", SPANS);
  assert.equal(svg.match(/<rect /g)?.length, SPANS.length);
  assert.match(svg, /waits &amp; copies &lt;files&gt;/);
  assert.doesNotMatch(svg, /<files>/);
});
