import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { bytes, clock, count, lasted, linePath } from '../../src/sidecar/page/client/format.ts';
import { run } from '../../tools/process.ts';
import { PAGE } from '../../src/sidecar/page/text.ts';

test('the sources of the page are read without a warning of Node', async () => {
  const module = new URL('../../src/sidecar/page/text.ts', import.meta.url).href;
  const { code, stderr } = await run(process.execPath, ['--input-type=module', '--eval', `await import('${module}')`]);
  assert.deepEqual([code, stderr], [0, '']);
});

test('the page is a single file without external URLs or injected markup', () => {
  const text = PAGE.html.replaceAll("createElementNS('http://www.w3.org/2000/svg'", '');
  assert.doesNotMatch(text, /https?:|@import|url\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
  assert.doesNotMatch(PAGE.html, / style=| on[a-z]+=/);
});

test("the page's policy allows only its own style and script", () => {
  const { policy } = PAGE;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'sha256-[\w+/]{43}='/);
  assert.doesNotMatch(policy, /unsafe|\*/);
});

test("the page's script is valid in a browser, without imports", () => {
  const script = /<script>([^]*)<\/script>/.exec(PAGE.html)?.[1] ?? '';
  assert.ok(script.length > 5000);
  assert.doesNotThrow(() => new Script(script));
  assert.doesNotMatch(script, /^\s*(import|export)\b/m);
});

test('durations, times, bytes and counts are short', () => {
  assert.deepEqual([0, 59_999, 61_000, 7_500_000, 90_000_000].map(lasted), ['0s', '59s', '1m', '2h 05m', '1d 1h']);
  assert.deepEqual([0, 999, 1000, 156_000, 2_170_000].map(bytes), ['0 B', '999 B', '1.0 kB', '156 kB', '2.2 MB']);
  assert.equal(count(1_234_567), '1\u2009234\u2009567');
  const now = new Date(2026, 10, 21, 3, 4, 5).getTime();
  assert.equal(clock(now, now), '03:04:05');
  assert.equal(clock(now - 86_400_000, now), '2026-11-20 03:04:05');
});

test('a plot ends at its right edge, with its maximum at the top and 0 at the bottom', () => {
  assert.equal(linePath([]), '');
  assert.equal(linePath([0, 10, 5], 3), 'M0.0 40.0L75.0 0.0L150.0 20.0');
  assert.match(linePath([7]), /^M150\.0 0\.0$/);
  assert.equal(linePath([0, 0], 2), 'M0.0 40.0L150.0 40.0');
});
