import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesOf, judge, rowOf } from '../faults/index.ts';
import { startBulkSink } from '../support/bulk-sink.ts';
import { until } from '../support/until.ts';
import { sidecarSite } from './kolla-sidecar-support.ts';

const FILES = 500;
const EACH = 40;

const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => linesOf({ n: from + i, pid: 7, depth: 0, timeMs: 0 })[0] + '\n').join('');

test('500 files of 25 services with kolla-sidecar: every line once, also of a removed file that was open', async (t) => {
  await using site = await sidecarSite('files');
  await using sink = await startBulkSink();
  const root = join(site.path, 'logs');
  const fileOf = (nth: number) => join(root, `service${nth % 25}`, `part${nth}.log`);
  for (let nth = 0; nth < 25; nth++) await mkdir(join(root, `service${nth}`));
  for (let nth = 0; nth < FILES; nth++) await writeFile(fileOf(nth), events(nth * EACH, (nth + 1) * EACH - 1));
  // A busy disk takes many seconds for a checkpoint.
  const settings = { root, url: sink.url, timezone: 'UTC', grace: '1h' };
  await site.write({ sidecar: { component: ['log-ship'] }, 'log-ship': settings });
  const sidecar = await site.start();
  const has = (count: number) =>
    until(`${count} documents`, async () => ((await sink.counts()).documents >= count ? true : undefined));
  await has(FILES * (EACH - 1));
  const fleeting = join(root, 'service0', 'fleeting.log');
  await writeFile(fleeting, events(FILES * EACH, FILES * EACH + 10));
  await until('it to be held', async () => (await isOpenIn(sidecar.running.pid, fleeting)) || undefined);
  await rm(fleeting);
  for (let nth = 0; nth < FILES; nth++) await appendFile(fileOf(nth), events((nth + 1) * EACH - 1, (nth + 1) * EACH));
  // Lines that are written after the stop signal are shipped before the exit.
  assert.equal(await sidecar.running.stop(), 143);
  const written = FILES * EACH + 10;
  const messages = (await sink.documents()).map(({ _source: source }) => String(source['Payload']));
  const row = judge('500 files', [{ from: 0, whole: written, begun: written }], messages);
  t.diagnostic(rowOf(row));
  const { lost, doubled, torn } = row;
  assert.deepEqual(
    { lost, doubled, torn },
    { lost: 0, doubled: 0, torn: 0 },
    [...row.examples, sidecar.log()].join('\n'),
  );
});

/** Whether this process has the file open. */
async function isOpenIn(pid: number, file: string): Promise<boolean> {
  const fds = `/proc/${pid}/fd`;
  // A descriptor may be closed between the two calls.
  const links = await Promise.all((await readdir(fds)).map((fd) => readlink(join(fds, fd)).catch(() => '')));
  return links.includes(file);
}
