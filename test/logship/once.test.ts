/** How `--once` ends when not everything can be shipped. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { run } from '../../tools/process.ts';
import { armTimeout } from '../../src/logship/grace.ts';
import { startBulkSink } from '../support/bulk-sink.ts';
import { logLines, startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const LINE = '2026-11-20 08:15:42.123 7 INFO keystone [-] up\n';

async function site(lines = 3) {
  await using directory = new AsyncDisposableStack();
  const { path } = directory.use(await privateDirectory('once', inMemory()));
  const root = join(path, 'logs');
  const at = (name: string) => join(root, 'keystone', name);
  await mkdir(join(root, 'keystone'), { recursive: true });
  await writeFile(at('keystone.log'), LINE.repeat(lines));
  const logFile = join(path, 'said');
  const said = async () => logLines(await readFile(logFile, 'utf8').catch(() => '')).map(({ msg }) => msg);
  const kept = directory.move();
  return {
    path,
    root,
    at,
    said,
    ship: (args: readonly string[], launcher: readonly string[] = []) =>
      startHelper(
        'kolla-log-ship',
        ['--once', '--root', root, '--state', join(path, 'state'), '--timezone', 'UTC', ...args],
        { logFile, launcher },
      ),
    says: (what: RegExp) => until(String(what), async () => (await said()).find((msg) => what.test(msg))),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

test('ends with 75 when the server stays away for --timeout, and says why and what is left', async () => {
  await using s = await site();
  const port = await freePort();
  // Long enough for the first attempt, even on a busy machine.
  await using shipper = await s.ship(['--url', `http://127.0.0.1:${port}`, '--timeout', '5s']);
  assert.equal(await shipper.ended, 75);
  assert.match(
    await s.says(/--timeout/),
    /^elasticsearch at http:\/\/127\.0\.0\.1:\d+ has accepted nothing for 5s \(--timeout\): .*ECONNREFUSED.*; 141 bytes are left, and the next run resumes there$/,
  );
});

test('ends with 75 when a server rejects all documents temporarily for --timeout', async () => {
  await using s = await site();
  await using sink = await startBulkSink();
  await sink.set({ p429: 1 });
  await using shipper = await s.ship(['--url', sink.url, '--timeout', '1s']);
  assert.equal(await shipper.ended, 75);
  await s.says(/has accepted nothing for 1s \(--timeout\).*; 141 bytes are left/);
});

test('a server that stays away does not stop the lines for another one', async () => {
  await using s = await site(5000);
  await using sink = await startBulkSink();
  const away = ['--to', `opensearch=http://127.0.0.1:${await freePort()}`, '--timeout', '5s'];
  await using shipper = await s.ship(['--to', `elasticsearch=${sink.url}`, ...away]);
  assert.equal(await shipper.ended, 75);
  assert.equal((await sink.counts()).documents, 5000);
  await s.says(/^opensearch at .* has accepted nothing/);
});

test('--timeout restarts whenever the server accepts something', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let over = 0;
    using timeout = armTimeout(1000, () => over++);
    mock.timers.tick(900);
    timeout.restart();
    mock.timers.tick(900);
    assert.equal(over, 0);
    mock.timers.tick(100);
    assert.equal(over, 1);
    using endless = armTimeout(undefined, () => over++);
    endless.restart();
    mock.timers.tick(1e9);
    assert.equal(over, 1);
  } finally {
    mock.timers.reset();
  }
});

test('the first Ctrl-C says what it waits for, the second one ends at once', async () => {
  await using s = await site();
  const url = `http://127.0.0.1:${await freePort()}`;
  await using shipper = await s.ship(['--url', url, '--grace', '1h', '--timeout', '1h']);
  await s.says(/does not accept writes/);
  process.kill(shipper.pid, 'SIGINT');
  const said = await s.says(/^stopping/);
  assert.match(
    said,
    /^stopping: waiting up to 1h for elasticsearch at http:\S+ to accept 141 bytes: .*ECONNREFUSED.*\. Ctrl-C or SIGTERM again ends at once$/,
  );
  process.kill(shipper.pid, 'SIGINT');
  assert.equal(await shipper.ended, 130);
});

/** Root without the capabilities to read everything. */
const NO_OVERRIDE = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'];
const launcher = process.getuid?.() === 0 ? NO_OVERRIDE : [];
const canDrop = launcher.length === 0 || (await run(NO_OVERRIDE[0]!, [...NO_OVERRIDE.slice(1), 'true'])).code === 0;

test('ends with 77 when a file may not be read, after it shipped the others', { skip: !canDrop }, async () => {
  await using s = await site();
  await using sink = await startBulkSink();
  await writeFile(s.at('secret.log'), LINE);
  await chmod(s.at('secret.log'), 0);
  await using shipper = await s.ship(['--url', sink.url], launcher);
  assert.equal(await shipper.ended, 77);
  assert.equal((await sink.counts()).documents, 3);
  const text = `1 file cannot be read, and is not shipped: ${s.at('secret.log')}: permission denied`;
  assert.ok((await s.says(/not shipped/)).startsWith(text), (await s.said()).join('\n'));
});

test('ends with 69 when a file leads out of the log directory', async () => {
  await using s = await site();
  await using sink = await startBulkSink();
  await writeFile(join(s.path, 'outside'), LINE);
  for (let n = 0; n < 5; n++) await symlink(join(s.path, 'outside'), s.at(`link${n}.log`));
  await using shipper = await s.ship(['--url', sink.url]);
  assert.equal(await shipper.ended, 69);
  assert.equal((await sink.counts()).documents, 3);
  assert.match(
    await s.says(/not shipped/),
    /^5 files cannot be read, and are not shipped: (\S+: it leads to \S+, outside of \S+; ){3}and 2 more$/,
  );
});
