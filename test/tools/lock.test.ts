import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { exclusively } from '../../tools/lock.ts';

test('callers of the same lock run one after the other', async () => {
  const name = crypto.randomUUID();
  let inside = 0;
  let most = 0;
  const turn = () =>
    exclusively(name, async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
    });
  await Promise.all([turn(), turn(), turn(), turn()]);
  assert.equal(most, 1);
});

test('different locks are independent', async () => {
  const outer = crypto.randomUUID();
  const inner = crypto.randomUUID();
  assert.equal(await exclusively(outer, () => exclusively(inner, () => Promise.resolve('both'))), 'both');
});

test('a lock is free again after its work fails', async () => {
  const name = crypto.randomUUID();
  await assert.rejects(
    exclusively(name, () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await exclusively(name, () => Promise.resolve('next')), 'next');
});

test('a lock is free again after its holder is killed', async () => {
  const name = crypto.randomUUID();
  const holder = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { exclusively } from ${JSON.stringify(import.meta.resolve('../../tools/lock.ts'))};
       await exclusively(${JSON.stringify(name)}, () => new Promise(() => { process.stdout.write('held'); setInterval(() => {}, 1000); }));`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(holder.stdout, 'data');
  const next = exclusively(name, () => Promise.resolve('next'));
  holder.kill('SIGKILL');
  assert.equal(await next, 'next');
});
