import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeShare } from './busy.ts';

const pressure = (us: number) =>
  `some avg10=0.00 avg60=0.00 avg300=0.00 total=${us}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n`;

test('time in which tasks waited for a processor or the disk is not free, and a fifth always counts', () => {
  const us = { cpu: 5_000_000, io: 7_000_000 };
  const free = freeShare((name) => pressure(us[name]));
  assert.equal(free(1000), 1);
  us.cpu += 250_000;
  us.io += 100_000;
  assert.equal(free(1000), 0.75);
  us.io += 600_000;
  assert.equal(free(1000), 0.4);
  us.cpu += 1_000_000;
  assert.equal(free(1000), 0.2);
  assert.equal(free(1000), 1);
});

test('all time counts where the kernel tells nothing', () => {
  const free = freeShare(() => {
    throw Object.assign(new Error('operation not supported'), { code: 'EOPNOTSUPP' });
  });
  assert.equal(free(1000), 1);
});
