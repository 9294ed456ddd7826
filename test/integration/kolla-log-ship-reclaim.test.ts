/**
 * An endless writer on a volume much smaller than its output, and a shipper that is killed. To write a full gigabyte:
 * `RECLAIM_MIB=1024 node --test test/integration/kolla-log-ship-reclaim.test.ts`
 */
import assert from 'node:assert/strict';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { canHaveSmallDisk } from '../cluster/small-disk.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { HELPERS } from '../support/helper.ts';
import { must, start, tied, type Running } from '../../tools/process.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { allCreated } from '../support/bulk-reply.ts';

const MIB = 1024 * 1024;
const DISK_MIB = 64;
const TOTAL_MIB = Number(process.env['RECLAIM_MIB'] ?? 96);
const LINE_BYTES = 4096;
/** At most: space is reclaimed after checkpoints, which are written once a second. */
const MIB_PER_SECOND = 8;
/** How much of what is written may not have arrived: the writer waits for a shipper that stalls, or is not started yet. */
const BEHIND_MIB = 16;

test(
  `${TOTAL_MIB} MiB written to a volume of ${DISK_MIB} MiB, the shipper killed twice: never full, every line indexed once`,
  {
    skip: (await canHaveSmallDisk()) ?? false,
  },
  async () => {
    await using directory = await privateDirectory('endless');
    await using sink = await numberSink();
    await using disk = await smallDisk(directory.path);
    const file = `/proc/${disk.pid}/root${directory.path}/nova/nova-api.log`;
    const lines = (TOTAL_MIB * MIB) / LINE_BYTES;
    let shipper = await startShipper(disk.pid, directory.path, sink.url);
    for (const third of [0, 1, 2]) {
      const [from, to] = [third, third + 1].map((n) => Math.round((n * TOTAL_MIB) / 3) * (MIB / LINE_BYTES));
      await write(file, from ?? 0, to ?? 0, sink.count);
      if (third === 2) break;
      shipper.running.child.kill('SIGKILL');
      assert.equal(await shipper.running.ended, 137);
      shipper = await startShipper(disk.pid, directory.path, sink.url);
    }
    await until('every line', () => Promise.resolve(sink.count() >= lines || undefined));
    assert.equal(await shipper.running.stop(), 0, shipper.said());
    const { size, blocks } = statSync(file);
    assert.deepEqual([sink.count(), sink.doubled()], [lines, 0]);
    assert.equal(size, TOTAL_MIB * MIB);
    assert.ok(blocks * 512 < 4 * MIB, `${blocks} blocks are left`);
    assert.match(shipper.said(), /is reclaimed \(it is in memory\)/);
    assert.doesNotMatch(shipper.said(), /can't be reclaimed|was truncated|not read again|"level":"error"/);
  },
);

/** A volume that is visible only in its own mount namespace. */
async function smallDisk(path: string): Promise<Running> {
  const script = `mount -t tmpfs -o size=${DISK_MIB}m none "$0" && mkdir "$0/nova" && exec sleep infinity`;
  const view = await start(...tied('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, path]));
  const isThere = () => must('test', ['-d', `/proc/${view.pid}/root${path}/nova`]).then(() => true);
  await until('the volume', () => isThere().catch(() => undefined));
  return view;
}

async function startShipper(view: number, root: string, url: string) {
  const shipper = [process.execPath, HELPERS, 'kolla-log-ship', '--root', root, '--url', url];
  const env = { PATH: process.env['PATH'], KOLLA_LOG_SHIP_RECLAIM_KEEP: String(MIB) };
  const running = await start(...tied('nsenter', ['--mount', '--target', String(view), ...shipper]), {
    env,
    keepOutput: true,
  });
  let said = '';
  running.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  await until('the shipper', () => Promise.resolve(said.includes('"shipping ') || undefined));
  return { running, said: () => said };
}

/** Writes numbered lines, not much faster than they arrive. Throws ENOSPC when the disk is full. */
async function write(path: string, from: number, to: number, arrived: () => number): Promise<void> {
  const fd = openSync(path, 'a');
  const perMib = MIB / LINE_BYTES;
  const beganMs = performance.now();
  for (let line = from; line < to; line += perMib) {
    await until('the shipper to keep up', () => arrived() >= line - BEHIND_MIB * perMib || undefined);
    let lines = '';
    for (let n = line; n < line + perMib; n++) {
      const head = `2026-11-20 08:15:42.123 7 INFO nova [-] seq=${n} `;
      lines += `${head}${'x'.repeat(LINE_BYTES - 1 - head.length)}\n`;
    }
    writeSync(fd, lines);
    const dueMs = ((line - from) / perMib / MIB_PER_SECOND) * 1000;
    await sleep(Math.max(0, dueMs - (performance.now() - beganMs)));
  }
  closeSync(fd);
}

/** Accepts everything, like a server that indexes each id once. */
async function numberSink() {
  const ids = new Map<string, string>();
  const doubled = new Set<string>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    for (const [, id = '', number = ''] of body.matchAll(/"_id":"([^"]+)"\}\}\n[^\n]*?seq=(\d+) /g)) {
      if ((ids.get(number) ?? id) !== id) doubled.add(number);
      ids.set(number, id);
    }
    response.end(allCreated(body));
  };
  const server = await listenHttp((request, response) => void take(request, response));
  return {
    url: `http://127.0.0.1:${server.port}`,
    count: () => ids.size,
    /** Lines that have two documents. */
    doubled: () => doubled.size,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
