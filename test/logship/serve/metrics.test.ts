import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { Lags, shippingFamilies } from '../../../src/logship/serve/index.ts';
import type { Shown } from '../../../src/logship/report/view.ts';
import { metricsText } from '../../../src/net/prometheus.ts';
import { destination, file } from './states.ts';

const NO_SIDE = { reclaimed: undefined, syslog: undefined };

function scraped(shown: Shown): string {
  using lags = new Lags(shown.pipelines);
  return metricsText(shippingFamilies(shown, lags));
}

test('the metrics are those of each destination and file, and of background tasks', () => {
  const counted = {
    acknowledged: 7,
    already: 2,
    retried: 3,
    rejected: 1,
    cut: 4,
    lostBytes: 5,
    nulBytes: 6,
    skippedBytes: 8,
  };
  const counts = { ...newCounts(), ...counted };
  const odd = '/var/log/kolla/a"b\\c\nd.log';
  const files = [file({ lines: 9, bytes: 100, left: 40, unread: 30 }), file({ path: odd })];
  const state = destination({ counts, lagBytes: 40, lagSeconds: 1.5, memoryBytes: 64, fileStates: () => files });
  const syslog = { received: 11, lost: 0, dropped: undefined };
  const body = scraped({ pipelines: () => [state], side: () => ({ reclaimed: 4096, syslog }) });
  const to = 'to="elasticsearch-es-9200"';
  for (const line of [
    `acknowledged_total{${to}} 7`,
    `already_total{${to}} 2`,
    `retries_total{${to}} 3`,
    `dead_letters_total{${to}} 1`,
    `cut_lines_total{${to}} 4`,
    `lost_bytes_total{${to}} 5`,
    `nul_bytes_total{${to}} 6`,
    `skipped_bytes_total{${to}} 8`,
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
});

test('more than 500 files have no series of their own', () => {
  const files = Array.from({ length: 600 }, (_, n) => file({ path: `/var/log/kolla/x/${n}.log` }));
  const body = scraped({ pipelines: () => [destination({ fileStates: () => files })], side: () => NO_SIDE });
  assert.equal(body.match(/^kolla_log_ship_file_lag_bytes/gm)?.length, 500);
  assert.match(body, /^kolla_log_ship_files\{[^}]*\} 600$/m);
});
