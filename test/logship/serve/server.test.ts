import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { newCounts } from '../../../src/logship/counts.ts';
import { serveShipping } from '../../../src/logship/serve/index.ts';
import { log } from '../said.ts';
import { destination, file } from './states.ts';

const NO_SIDE = { reclaimed: undefined, syslog: undefined };

async function served() {
  let isEnding = false;
  const server = await serveShipping(
    { host: '127.0.0.1', port: 0 },
    { log: log(), isEnding: () => isEnding, hostNetwork: false },
  );
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    return { status: response.status, body: await response.text() };
  };
  return { server, ask, end: () => (isEnding = true), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('it is alive at once, ready when files are followed, and not when the end has come', async () => {
  await using s = await served();
  assert.equal((await s.ask('/livez')).status, 200);
  assert.deepEqual(await s.ask('/readyz'), { status: 503, body: 'waiting\n' });
  s.server.show({ pipelines: () => [destination()], side: () => NO_SIDE });
  assert.deepEqual(await s.ask('/readyz'), { status: 200, body: 'ok\n' });
  s.end();
  assert.deepEqual(await s.ask('/readyz'), { status: 503, body: 'ending\n' });
  assert.equal((await s.ask('/livez')).status, 200);
});

test('one destination of two that takes nothing makes it unready; the reason is for who is in the pod', async () => {
  await using s = await served();
  const bad = destination({ name: 'opensearch-os-9200', outage: { reason: 'status 401: who?', sinceMs: 0 } });
  s.server.show({ pipelines: () => [destination(), bad], side: () => NO_SIDE });
  assert.deepEqual(await s.ask('/readyz'), { status: 503, body: 'unhealthy\n' });
  const { body } = await s.ask('/readyz?verbose');
  assert.match(
    body,
    /^\[\+\] elasticsearch-es-9200 all is acknowledged\n\[-\] opensearch-os-9200 takes nothing: status 401: who\?/,
  );
  const status = await new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port: s.server.port,
      path: '/readyz?verbose',
      headers: { host: 'evil' },
    });
    asked.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
    asked.end();
  });
  assert.equal(status, 403);
});

test('the metrics are those of each destination and file, with what runs beside them', async () => {
  await using s = await served();
  const counts = { ...newCounts(), acknowledged: 7, already: 2, retried: 3, rejected: 1, cut: 4, lostBytes: 5 };
  const odd = '/var/log/kolla/a"b\\c\nd.log';
  const files = [file({ lines: 9, bytes: 100, left: 40, unread: 30 }), file({ path: odd })];
  const state = destination({ counts, lagBytes: 40, lagSeconds: 1.5, memoryBytes: 64, fileStates: () => files });
  const syslog = { received: 11, lost: 0, dropped: undefined };
  s.server.show({ pipelines: () => [state], side: () => ({ reclaimed: 4096, syslog }) });
  const { body } = await s.ask('/metrics');
  const to = 'to="elasticsearch-es-9200"';
  for (const line of [
    `acknowledged_total{${to}} 7`,
    `already_total{${to}} 2`,
    `retries_total{${to}} 3`,
    `dead_letters_total{${to}} 1`,
    `cut_lines_total{${to}} 4`,
    `lost_bytes_total{${to}} 5`,
    `lag_bytes{${to}} 40`,
    `lag_seconds{${to}} 1.5`,
    `in_flight_bytes{${to}} 64`,
    `outage{${to}} 0`,
    `files{${to}} 2`,
    `file_lines_total{${to},file="/var/log/kolla/nova/nova-api.log"} 9`,
    `file_lag_bytes{${to},file="/var/log/kolla/nova/nova-api.log"} 40`,
    String.raw`file_bytes_total{${to},file="/var/log/kolla/a\"b\\c\nd.log"} 0`,
    'reclaimed_bytes_total 4096',
    'syslog_received_total 11',
  ])
    assert.ok(body.includes(`\nkolla_log_ship_${line}\n`), line);
  assert.doesNotMatch(body, /syslog_dropped/);
  assert.match(body, /^process_resident_memory_bytes \d+$/m);
});

test('more than 500 files have no series of their own', async () => {
  await using s = await served();
  const files = Array.from({ length: 600 }, (_, n) => file({ path: `/var/log/kolla/x/${n}.log` }));
  s.server.show({ pipelines: () => [destination({ fileStates: () => files })], side: () => NO_SIDE });
  const { body } = await s.ask('/metrics');
  assert.equal(body.match(/^kolla_log_ship_file_lag_bytes/gm)?.length, 500);
  assert.match(body, /^kolla_log_ship_files\{[^}]*\} 600$/m);
});
