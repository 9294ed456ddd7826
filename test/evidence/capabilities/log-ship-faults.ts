import { EVERY, type Row } from '../row.ts';

/** Claims about lines under faults, and about features next to the pipelines. */
export const LOG_SHIP_FAULTS: readonly Row[] = [
  {
    point: '429 for 5 % of the items, of 20,000 numbered lines: 0 lost, 0 duplicated',
    file: 'test/faults/server.test.ts',
    test: /429 for 5 % of the items: no line lost or duplicated$/,
  },
  {
    point: 'permanent 400s: all other lines are indexed, and each rejected one is a dead letter exactly once',
    file: 'test/faults/server.test.ts',
    test: /permanently rejected items \(400\): no line lost or duplicated$/,
  },
  {
    point: '503 for a while',
    file: 'test/faults/server.test.ts',
    test: /503 for a while: no line lost or duplicated$/,
  },
  {
    point: '503, then SIGTERM and restart',
    file: 'test/faults/server.test.ts',
    test: /503, SIGTERM, restarted: no line lost or duplicated$/,
  },
  {
    point: '503, then SIGKILL and restart',
    file: 'test/faults/server.test.ts',
    test: /503, SIGKILL, restarted: no line lost or duplicated$/,
  },
  {
    point: 'SIGKILL at random under full load, 10 times (100 times in make soak)',
    file: 'test/faults/process.test.ts',
    test: /SIGKILL at random under full load: no line lost or duplicated$/,
  },
  {
    point: 'interleaved tracebacks of several workers, under SIGKILL: each is one complete document, once',
    file: 'test/faults/process.test.ts',
    test: /interleaved tracebacks of several workers, under SIGKILL: no line lost or duplicated$/,
  },
  {
    point: 'each rotation kind under full load, and while the shipper or the server is down',
    file: 'test/faults/rotation.test.ts',
    test: EVERY,
  },
  {
    point: 'power failure: half of the log, or its end, is gone while the checkpoint is not',
    file: 'test/faults/process.test.ts',
    test: /power failure: .*: no line lost or duplicated$/,
    least: 3,
  },
  {
    point: 'real Elasticsearch: power failure; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: power failure: .*: no line lost or duplicated$/,
    least: 3,
  },
  {
    point: 'real Elasticsearch: flood-stage block set and lifted; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: flood-stage block set and lifted: no line lost or duplicated$/,
  },
  {
    point: 'real Elasticsearch: write queue of 1; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: write queue of 1: no line lost or duplicated$/,
  },
  {
    point: 'real Elasticsearch: SIGKILL at random under full load; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: SIGKILL at random under full load: no line lost or duplicated$/,
  },
  {
    point: 'wrong password, then the right one, without a restart',
    file: 'test/faults/server.test.ts',
    test: /wrong password, then the right one: no line lost or duplicated$/,
  },
  {
    point: 'connections cut mid-request and mid-reply',
    file: 'test/faults/server.test.ts',
    test: [
      /connections cut mid-request: no line lost or duplicated$/,
      /connections cut mid-reply: no line lost or duplicated$/,
    ],
  },
  {
    point: 'checkpoint disk full, SIGKILL, then space again',
    file: 'test/faults/process.test.ts',
    test: /checkpoint disk full, SIGKILL, then space again: no line lost or duplicated$/,
  },
  {
    point: 'the clock jumps by an hour back and forth',
    file: 'test/faults/process.test.ts',
    test: /clock jumping by an hour, under SIGKILL: no line lost or duplicated$/,
  },
  {
    point: 'dead letters on a full disk, ten kills: none lost, none duplicated',
    file: 'test/faults/process.test.ts',
    test: [
      /dead letters on a full disk, then space again: no line lost or duplicated$/,
      /permanently rejected items \(400\), under SIGKILL: no line lost or duplicated$/,
    ],
  },
  {
    point: 'one of two destinations is down, and the shipper is killed: both have every line in the end',
    file: 'test/faults/destinations.test.ts',
    test: EVERY,
  },
  {
    point: '--reclaim under SIGKILL, with copytruncate, and after losing the checkpoint',
    file: 'test/faults/options.test.ts',
    test: [
      /--reclaim under SIGKILL: no line lost or duplicated$/,
      /--reclaim and copytruncate: no line lost or duplicated$/,
      /--reclaim, no checkpoint on any start, fixed source id: no line lost or duplicated$/,
    ],
  },
  {
    point: '500 files under kolla-sidecar, a new file removed once it is open, and the last lines before the stop',
    file: 'test/integration/kolla-log-ship-files.test.ts',
    test: EVERY,
  },
  {
    point: 'controls: without checkpoint and source id, or with ids ignored, the same runs report duplicates',
    file: 'test/faults/process.test.ts',
    test: /^control runs that must duplicate lines > /,
    least: 2,
  },
  {
    point: 'without a checkpoint, but with a fixed source id, nothing is duplicated',
    file: 'test/faults/process.test.ts',
    test: /no checkpoint on any start, fixed source id: no line lost or duplicated$/,
  },
  {
    point:
      'Elasticsearch 9, OpenSearch 3.9, 3.4 and 2: SIGKILL under full load, 2,000 lines and a traceback indexed once each; 409 counts as indexed',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'killed under load and restarted: 2,000 lines and a traceback are indexed once',
    least: 4,
  },
  {
    point: 'the same four: a mapping conflict (400) is a dead letter with its reason',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a line that its index rejects is a dead letter, with the reason',
    least: 4,
  },
  {
    point: 'the same four: a closed index and a full disk’s block delay delivery, then all is indexed',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a closed index and a full-disk block delay lines, and lose none',
    least: 4,
  },
  {
    point: 'data streams: each line once on OpenSearch 3.9, 3.4 and 2',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a data stream receives each line once',
    least: 3,
  },
  {
    point: 'TLS and a password file, wrong then right; API keys, with and without the privilege; write queue of 1',
    file: 'test/integration/kolla-log-ship-secure.test.ts',
    test: EVERY,
  },
  {
    point:
      'setup: index template created once on each server, unchanged by a second run; missing retention settings are named',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a template is created once, applies to new indices, and all fields of the overview can be aggregated',
    least: 4,
  },
  {
    point: 'setup: policies (ILM, ISM) and their updates; foreign templates left unchanged; rejections and deadlines',
    file: 'test/logship/setup/setup.test.ts',
    test: EVERY,
  },
  {
    point:
      'saved objects for Kibana and OpenSearch Dashboards: references resolve, nested JSON is valid, fields are mapped',
    file: 'test/logship/setup/saved-objects.test.ts',
    test: EVERY,
  },
  {
    point:
      'an endless writer under a sizeLimit: more bytes than the volume holds, the shipper killed twice: never full, every line once',
    file: 'test/integration/kolla-log-ship-reclaim.test.ts',
    test: /never full, every line indexed once$/,
  },
  {
    point: 'disk is reclaimed only before every checkpoint’s mark; size, offsets and all other bytes stay',
    file: 'test/logship/reclaim/reclaimer.test.ts',
    test: [
      'acknowledged bytes are reclaimed; size, offsets and all other bytes stay',
      'only bytes acknowledged by every destination are reclaimed',
      'bytes unknown to a destination are not reclaimed',
      / is not changed$/,
    ],
  },
  {
    point: 'enabled by default only for an emptyDir or a volume in memory',
    file: 'test/logship/reclaim/mount.test.ts',
    test: EVERY,
  },
  {
    point: 'rejected once, with the fix, if unsupported',
    file: 'test/logship/reclaim/reclaimer.test.ts',
    test: [
      'a file system without hole punching is logged once, with the fix, and not retried',
      'auto is off on a disk that outlives the Pod, and on for a volume in memory',
    ],
  },
  {
    point:
      'a re-read without a checkpoint ships neither the NULs of reclaimed space nor torn lines, under the same ids; NULs that a crash has left end a line, and are counted',
    file: 'test/logship/read/hole.test.ts',
    test: EVERY,
  },
  {
    point: 'syslog: datagrams become lines, those dropped by the kernel are counted',
    file: 'test/logship/syslog/receiver.test.ts',
    test: EVERY,
  },
  {
    point: 'syslog: RFC 3164, 5424 and neither, newlines escaped',
    file: 'test/logship/parse/syslog-message.test.ts',
    test: EVERY,
  },
  { point: 'syslog: own rotation', file: 'test/logship/syslog/files.test.ts', test: EVERY },
  {
    point: 'syslog messages just before SIGTERM are in their file before it is read to its end, and are shipped',
    file: 'test/logship/beside.test.ts',
    test: 'syslog received just before shutdown is shipped, and counted in /metrics',
  },
  {
    point: '/metrics: each metric of the page',
    file: 'test/logship/docs.test.ts',
    test: 'the reference lists exactly the existing metrics',
  },
  {
    point: '/metrics: per file and destination, 500 files at most',
    file: 'test/logship/serve/metrics.test.ts',
    test: [
      'the metrics are those of each destination and file, and of background tasks',
      'more than 500 files have no series of their own',
    ],
  },
  {
    point:
      '/readyz fails while the server rejects requests, with the reason for clients in the pod, and recovers; /livez stays healthy',
    file: 'test/logship/beside.test.ts',
    test: 'a rejecting server makes the shipper unready, with the reason within the Pod, until it accepts documents again',
  },
  {
    point: 'kolla-sidecar shows the same; a log server makes a service unready only if configured',
    file: 'test/integration/kolla-sidecar.test.ts',
    test: 'a log server that rejects documents makes the Pod unready only on request',
  },
  {
    point:
      'docs/reference/kolla-log-ship.md and docs/how-to/migration-fluentd.md: fields by format, metrics, alerts, every example run',
    file: 'test/logship/docs.test.ts',
    test: EVERY,
  },
  {
    point: 'the faults’ own tools: the sink rejects, delays, cuts and counts as configured',
    file: 'test/support/bulk-sink.test.ts',
    test: EVERY,
  },
];
