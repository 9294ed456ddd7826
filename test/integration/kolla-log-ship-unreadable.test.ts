import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { startBulkSink } from '../support/bulk-sink.ts';
import { logLines, startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

/**
 * System calls on one file fail as they do on NFS, on FUSE and on a broken disk. The file's name in the kernel decides,
 * so that an open descriptor fails once its file is renamed to it.
 */
interface Failing {
  readonly name: string;
  readonly calls: string;
  readonly error: string;
  /** Which of the calls fail: `3..10`; by default all. */
  readonly when?: string;
}

const NOVA = 'nova/nova-api.log';
const GLANCE = 'glance/glance-api.log';
const STALE = { name: `${NOVA}.1`, error: 'ESTALE' } as const;

async function canInject(): Promise<string | undefined> {
  const tried = await run('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=read', 'true']).catch(
    () => undefined,
  );
  return tried?.code === 0 ? undefined : 'no strace that may trace';
}

const skip = (await canInject()) ?? false;

const line = (text: string) => `2026-11-27 10:00:00.000 7 INFO nova.api ${text}\n`;

async function site() {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await privateDirectory('unreadable'));
  const sink = parts.use(await startBulkSink());
  const logFile = join(directory.path, 'said');
  const at = (name: string) => join(directory.path, 'log', name);
  for (const name of [NOVA, GLANCE]) await mkdir(dirname(at(name)), { recursive: true });
  const payloads = async () => (await sink.documents()).map(({ _source: source }) => String(source['Payload']));
  const said = async () => logLines(await readFile(logFile, 'utf8').catch(() => ''));
  const open = parts.move();
  return {
    at,
    payloads,
    warnings: async () =>
      (await said()).filter(({ level }) => level !== 'info').map(({ msg }) => msg.replaceAll(at(NOVA), 'PATH')),
    write: (name: string, ...texts: string[]) => appendFile(at(name), texts.map(line).join('')),
    /** Resolves when exactly these lines have arrived, in any order. */
    arrived: async (...texts: string[]) => {
      await until(`${texts.length} documents`, async (saw) => {
        const all = await payloads();
        saw(all);
        return all.length >= texts.length ? true : undefined;
      });
      assert.deepEqual((await payloads()).toSorted(), texts.toSorted());
    },
    heard: (text: RegExp) =>
      until(`the log to say ${text}`, async () => (await said()).find(({ msg }) => text.test(msg))),
    async ship({ name, calls, error, when }: Failing) {
      const inject = calls.split(',').flatMap((call) => {
        return ['-e', `inject=${call}:error=${error}${when === undefined ? '' : `:when=${when}`}`];
      });
      const strace = ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-P', at(name)];
      const launcher = [...strace, '-e', `trace=${calls}`, ...inject];
      const args = [
        '--root',
        at(''),
        '--state',
        join(directory.path, 'state'),
        '--timezone',
        'UTC',
        '--multiline-timeout',
        '100ms',
      ];
      const shipper = await startHelper('kolla-log-ship', [...args, '--url', sink.url], { launcher, logFile });
      return {
        async stop() {
          const { pid } = shipper;
          process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')), 'SIGTERM');
          return await shipper.ended;
        },
        [Symbol.asyncDispose]: () => shipper[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

for (const calls of ['%%stat,pread64', 'pread64', '%%stat'])
  test(`a rotated file that another client removed (${calls}) is lost alone, with one warning`, { skip }, async () => {
    await using s = await site();
    await s.write(NOVA, 'one');
    await s.write(GLANCE, 'two');
    await using shipper = await s.ship({ ...STALE, calls });
    await s.arrived('one', 'two');
    renameSync(s.at(NOVA), s.at(`${NOVA}.1`));
    await s.write(`${NOVA}.1`, 'lost');
    await s.write(NOVA, 'three');
    await s.heard(/stale file handle/);
    await s.write(GLANCE, 'four');
    await s.write(NOVA, 'five');
    await until('the last line', async () => ((await s.payloads()).includes('five') ? true : undefined));
    assert.equal(await shipper.stop(), 0);
    // The bytes that the last successful call has shown.
    const lost = calls === 'pread64' ? line('lost').length : 0;
    assert.match(
      (await s.warnings()).join('\n'),
      new RegExp(
        `^PATH was rotated and removed by another client: ${lost} unread bytes are lost: stale file handle.*$`,
      ),
    );
  });

test('a file that cannot be read for a while is read to its end later, with one warning', { skip }, async () => {
  await using s = await site();
  await s.write(NOVA, 'one');
  await s.write(GLANCE, 'two');
  await using shipper = await s.ship({ name: NOVA, calls: 'pread64', error: 'EIO', when: '1..6' });
  await s.arrived('one', 'two');
  assert.equal(await shipper.stop(), 0);
  assert.deepEqual(await s.warnings(), ['cannot read PATH: EIO: i/o error, read']);
  await s.heard(/can be read again/);
});

test(
  'each line arrives once, whichever read of a file on a volume that was mounted again is stale',
  { skip },
  async () => {
    for (let nth = 1; nth <= 6; nth++) {
      await using s = await site();
      await s.write(NOVA, 'one');
      await using shipper = await s.ship({ name: NOVA, calls: 'pread64', error: 'ESTALE', when: String(nth) });
      await s.arrived('one');
      await s.write(NOVA, 'two');
      await s.arrived('one', 'two');
      await s.write(NOVA, 'three');
      await s.arrived('one', 'two', 'three');
      assert.equal(await shipper.stop(), 0);
    }
  },
);

test('a failing close does not stop the shipper', { skip }, async () => {
  await using s = await site();
  await s.write(NOVA, 'one');
  await s.write(GLANCE, 'two');
  await using shipper = await s.ship({ name: NOVA, calls: 'close', error: 'EIO' });
  await s.arrived('one', 'two');
  assert.equal(await shipper.stop(), 0);
  assert.deepEqual(await s.warnings(), []);
});

for (const name of [NOVA, `${NOVA}.1`])
  test(`a start at which ${name} cannot be read keeps its position for a later start`, { skip }, async () => {
    await using s = await site();
    await s.write(NOVA, 'one');
    await s.write(GLANCE, 'two');
    await using first = await s.ship({ name: 'none', calls: 'pread64', error: 'EIO' });
    await s.arrived('one', 'two');
    assert.equal(await first.stop(), 0);
    if (name !== NOVA) renameSync(s.at(NOVA), s.at(name));
    await s.write(name, 'three');
    await s.write(GLANCE, 'four');
    await using second = await s.ship({ name, calls: 'pread64', error: 'EIO' });
    await s.arrived('one', 'two', 'four');
    assert.equal(await second.stop(), name === NOVA ? 143 : 0);
    await using third = await s.ship({ name: 'none', calls: 'pread64', error: 'EIO' });
    await s.arrived('one', 'two', 'three', 'four');
    assert.equal(await third.stop(), 0);
  });
