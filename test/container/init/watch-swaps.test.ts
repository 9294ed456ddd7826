import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { entry, pod } from '../../config/support.ts';
import { Volume } from '../../config/watch/support.ts';
import { isOnCore, startHelper } from '../../support/helper.ts';
import { randomFrom } from '../../support/random.ts';
import { until } from '../../support/until.ts';

const SWAPS = 1000;
const SEED = Number(process.env['SEED'] ?? 4);
const NAMES = ['a.conf', 'b.conf', 'c.conf'] as const;
/** Smaller changes are normal variation of the allocator. */
const GROWTH_MAX_KIB = (isOnCore ? 4 : 48) * 1024;

/** The content of a file, which names its own version and length. */
function content(version: number, bytes: number): string {
  return `version ${version} of ${bytes}\n${'x'.repeat(bytes)}\nend ${version}\n`;
}

/** The version of a complete file. Throws if the file is incomplete. */
function wholeVersion(text: string): number {
  const [, version, bytes] = /^version (\d+) of (\d+)\n/.exec(text) ?? [];
  assert.equal(text, content(Number(version), Number(bytes)), 'a reader saw a partial file');
  return Number(version);
}

async function kibOf(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function inotifyWatches(pid: number): Promise<number> {
  const texts = (await readdir(`/proc/${pid}/fdinfo`)).map((fd) =>
    readFile(`/proc/${pid}/fdinfo/${fd}`, 'utf8').catch(() => ''),
  );
  return (await Promise.all(texts)).join('').match(/^inotify wd/gm)?.length ?? 0;
}

test(`${SWAPS} consecutive swaps: readers see complete files, each newer than the previous, and finally the last`, async (t) => {
  await using p = await pod();
  const volume = new Volume(p.configDir);
  const next = randomFrom(SEED);
  const config = JSON.stringify({ command: 'true', config_files: NAMES.map((name) => entry(name, `/etc/x/${name}`)) });
  const swap = async (version: number) => {
    const files = NAMES.map((name) => [name, content(version, Math.floor(next() ** 4 * 50_000))] as const);
    await volume.swap({ 'config.json': config, ...Object.fromEntries(files) });
    return Object.fromEntries(files);
  };
  await swap(0);
  const args = ['watch', '--root', p.root, '--config-dir', p.configDir, '--settle', '5ms', '--poll', '1h'];
  await using watch = await startHelper('kolla-init', args, { keepOutput: true });
  let applied = 0;
  let said = '';
  watch.child.stdout?.resume();
  watch.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    applied += text.match(/installed, changed: /g)?.length ?? 0;
    said = (said + text).slice(-4000);
  });
  const read = async (name: string) => await readFile(join(p.root, 'etc/x', name), 'utf8');
  await until('the first version', async () => await read('c.conf').catch(() => undefined));

  const over = new AbortController();
  let reads = 0;
  const readers = NAMES.map(async (name) => {
    for (let seen = 0; !over.signal.aborted; reads++) {
      const version = wholeVersion(await read(name));
      assert.ok(version >= seen, `${name} went back from ${seen} to ${version}`);
      seen = version;
      await sleep(1);
    }
  });
  const swaps = (async () => {
    let [last, early] = [{} as Record<string, string>, { kib: 0, watches: 0 }];
    for (let version = 1; version <= SWAPS; version++) {
      last = await swap(version);
      if (next() < 0.1) await sleep(Math.floor(next() * 40));
      if (version === SWAPS / 10) early = { kib: await kibOf(watch.pid), watches: await inotifyWatches(watch.pid) };
    }
    for (const [name, text] of Object.entries(last))
      await until(`the last ${name}; it said ${said}`, async () => (await read(name)) === text || undefined);
    over.abort();
    return early;
  })();
  // If a reader fails, the test ends immediately.
  const [early] = await Promise.all([swaps, ...readers]).finally(() => over.abort());

  const late = { kib: await kibOf(watch.pid), watches: await inotifyWatches(watch.pid) };
  t.diagnostic(`seed ${SEED}: ${SWAPS} swaps, ${applied} versions installed, ${reads} whole reads`);
  t.diagnostic(`RSS after 100 swaps ${early.kib} KiB, after ${SWAPS} ${late.kib} KiB; inotify watches ${late.watches}`);
  assert.ok(applied > 20, 'hardly any version was installed between two swaps');
  assert.ok(late.kib - early.kib < GROWTH_MAX_KIB, `memory grew from ${early.kib} to ${late.kib} KiB`);
  assert.equal(late.watches, early.watches, 'a watch was left behind');
});
