import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsText, processFamilies } from '../../src/net/prometheus.ts';

test('a family is its help, its type and its samples', () => {
  const family = {
    name: 'x_seconds',
    type: 'summary',
    help: 'How long,\nand how often.',
    samples: [
      { suffix: '_sum', labels: { check: 'api' }, value: 1.5 },
      { suffix: '_count', labels: { check: 'api' }, value: 3 },
    ],
  } as const;
  assert.equal(
    metricsText([family]),
    [
      String.raw`# HELP x_seconds How long,\nand how often.`,
      '# TYPE x_seconds summary',
      'x_seconds_sum{check="api"} 1.5',
      'x_seconds_count{check="api"} 3',
      '',
    ].join('\n'),
  );
});

test("a label's value cannot end the label", () => {
  const samples = [{ labels: { a: 'b"} 1\n\\', c: '' }, value: 1 }];
  assert.match(metricsText([{ name: 'x', type: 'gauge', help: 'X.', samples }]), /^x\{a="b\\"\} 1\\n\\\\",c=""\} 1$/m);
});

test("numbers are in Prometheus' format", () => {
  const samples = [NaN, Infinity, -Infinity, 1e21, 0].map((value) => ({ value }));
  const text = metricsText([{ name: 'x', type: 'gauge', help: 'X.', samples }]);
  assert.deepEqual(text.match(/^x .*/gm), ['x NaN', 'x +Inf', 'x -Inf', 'x 1e+21', 'x 0']);
});

test('a family without a sample is left out', () => {
  assert.equal(metricsText([{ name: 'x', type: 'gauge', help: 'X.', samples: [] }]), '');
});

test('a process reports its CPU time, memory and start time', () => {
  const values = new Map(processFamilies().map(({ name, samples }) => [name, samples[0]?.value ?? 0]));
  assert.ok((values.get('process_cpu_seconds_total') ?? 0) > 0);
  assert.ok((values.get('process_resident_memory_bytes') ?? 0) > 1e6);
  assert.ok(Math.abs((values.get('process_start_time_seconds') ?? 0) - Date.now() / 1000) < 3600);
});
