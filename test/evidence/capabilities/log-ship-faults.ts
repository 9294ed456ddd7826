import { EVERY, type Row } from '../row.ts';

/** What must not cost a line, and what runs beside the pipelines. */
export const LOG_SHIP_FAULTS: readonly Row[] = [
  {
    point: '429 for 5 % of the items, of 20,000 numbered lines: 0 lost, 0 doubled',
    file: 'test/faults/server.test.ts',
    test: /429 for 5 % of the items: no line lost or duplicated$/,
  },
  {
    point: 'poison 400s: all others are in, and each of them is a dead letter exactly once',
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
    point: 'SIGKILL at random under full flow, 10 times (100 times in make soak)',
    file: 'test/faults/process.test.ts',
    test: /SIGKILL at random under full load: no line lost or duplicated$/,
  },
  {
    point: 'several interleaved tracebacks of several workers, under SIGKILL: each one document, whole, once',
    file: 'test/faults/process.test.ts',
    test: /interleaved tracebacks of several workers, under SIGKILL: no line lost or duplicated$/,
  },
  {
    point: 'each rotation kind under full flow, and while the shipper or the server was away',
    file: 'test/faults/rotation.test.ts',
    test: EVERY,
  },
  {
    point: 'real Elasticsearch: the flood stage’s block set and lifted; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: flood-stage block set and lifted: no line lost or duplicated$/,
  },
  {
    point: 'real Elasticsearch: write queue of 1; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: write queue of 1: no line lost or duplicated$/,
  },
  {
    point: 'real Elasticsearch: SIGKILL at random under full flow; counted by query',
    file: 'test/integration/kolla-log-ship.test.ts',
    test: /^Elasticsearch: SIGKILL at random under full load: no line lost or duplicated$/,
  },
  {
    point: 'wrong password, then the right one, without a restart',
    file: 'test/faults/server.test.ts',
    test: /wrong password, then the right one: no line lost or duplicated$/,
  },
  {
    point: 'connections cut mid-request and in mid-reply',
    file: 'test/faults/server.test.ts',
    test: [
      /connections cut mid-request: no line lost or duplicated$/,
      /connections cut mid-reply: no line lost or duplicated$/,
    ],
  },
  {
    point: 'the checkpoint’s disk full, a kill, and room again',
    file: 'test/faults/process.test.ts',
    test: /checkpoint disk full, SIGKILL, then space again: no line lost or duplicated$/,
  },
  {
    point: 'the clock an hour back and forth',
    file: 'test/faults/process.test.ts',
    test: /clock jumping by an hour, under SIGKILL: no line lost or duplicated$/,
  },
  {
    point: 'dead letters on a full disk; ten kills among them: none is lost, none is given twice',
    file: 'test/faults/process.test.ts',
    test: [
      /dead letters on a full disk, then space again: no line lost or duplicated$/,
      /permanently rejected items \(400\), under SIGKILL: no line lost or duplicated$/,
    ],
  },
  {
    point: 'of two destinations one is away, and the shipper is killed: both have all in the end',
    file: 'test/faults/destinations.test.ts',
    test: EVERY,
  },
  {
    point: '--reclaim under SIGKILL, with copytruncate, and after the checkpoint is gone',
    file: 'test/faults/options.test.ts',
    test: [
      /--reclaim under SIGKILL: no line lost or duplicated$/,
      /--reclaim and copytruncate: no line lost or duplicated$/,
      /--reclaim, no checkpoint on any start, fixed source id: no line lost or duplicated$/,
    ],
  },
  {
    point:
      '500 files under kolla-sidecar, a new one that is removed once it is held, and lines that come last before the stop',
    file: 'test/integration/kolla-log-ship-files.test.ts',
    test: EVERY,
  },
  {
    point: 'controls: without checkpoint and source id, or with ids ignored, the same runs report doubles',
    file: 'test/faults/process.test.ts',
    test: /^control runs that must duplicate lines > /,
    least: 2,
  },
  {
    point: 'without a checkpoint, the source id given, nothing doubles',
    file: 'test/faults/process.test.ts',
    test: /no checkpoint on any start, fixed source id: no line lost or duplicated$/,
  },
  {
    point:
      'Elasticsearch 9, OpenSearch 3 and 2: SIGKILL in full flow, 2,000 lines and a traceback in, each once; 409 counts as in',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'killed under load and restarted: 2,000 lines and a traceback are indexed once',
    least: 3,
  },
  {
    point: 'the same three: a mapping conflict (400) is a dead letter with its reason',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a line that its index rejects is a dead letter, with the reason',
    least: 3,
  },
  {
    point: 'the same three: a closed index and the block of a full disk hold, then all is in',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a closed index and a full-disk block delay lines, and lose none',
    least: 3,
  },
  {
    point: 'data streams: once on OpenSearch 3 and 2',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a data stream receives each line once',
    least: 2,
  },
  {
    point: 'TLS and a password file, wrong then right; API keys, with and without the right; write queue of 1',
    file: 'test/integration/kolla-log-ship-secure.test.ts',
    test: EVERY,
  },
  {
    point: 'setup: index template made once on each server, found right again, and what retention lacks is named',
    file: 'test/integration/kolla-log-ship-servers.test.ts',
    test: 'a template is created once, applies to new indices, and all fields of the overview can be aggregated',
    least: 3,
  },
  {
    point: 'setup: policies (ILM, ISM) and their updates; foreign templates left alone; refusals and deadlines',
    file: 'test/logship/setup/setup.test.ts',
    test: EVERY,
  },
  {
    point:
      'saved objects for Kibana and OpenSearch Dashboards: references resolve, JSON in JSON is JSON, fields are mapped',
    file: 'test/logship/setup/saved-objects.test.ts',
    test: EVERY,
  },
  {
    point:
      'an endless writer under a sizeLimit: more to a volume than fits, the shipper killed twice: never full, every line once',
    file: 'test/integration/kolla-log-ship-reclaim.test.ts',
    test: /never full, every line indexed once$/,
  },
  {
    point: 'disk is reclaimed only before what every checkpoint holds; size, offsets and all other bytes stay',
    file: 'test/logship/reclaim/reclaimer.test.ts',
    test: [
      'acknowledged bytes are reclaimed; size, offsets and all other bytes stay',
      'only bytes acknowledged by every destination are reclaimed',
      'nothing unknown to a destination is reclaimed',
      / is not changed$/,
    ],
  },
  {
    point: 'on by itself for an emptyDir or a volume in memory alone',
    file: 'test/logship/reclaim/mount.test.ts',
    test: EVERY,
  },
  {
    point: 'refused once, with the way out, where unsupported',
    file: 'test/logship/reclaim/reclaimer.test.ts',
    test: [
      'a file system without hole punching is logged once, with the fix, and not retried',
      'auto is off on a disk that outlives the Pod, and on in memory',
    ],
  },
  {
    point:
      'a re-read without a checkpoint ships neither the NULs of what was reclaimed nor torn lines, under the same ids',
    file: 'test/logship/read/hole.test.ts',
    test: EVERY,
  },
  {
    point: 'syslog: datagrams become lines, what the kernel drops is counted',
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
    point: 'what comes by syslog just before SIGTERM is in its file before that is read to its end, and is shipped',
    file: 'test/logship/beside.test.ts',
    test: 'syslog received just before the end is shipped, and counted in /metrics',
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
      '/readyz is off while the server refuses us, with the reason for who is in the pod, and comes back; /livez stays',
    file: 'test/logship/beside.test.ts',
    test: 'a rejecting server makes it unready, with the reason within the Pod; it recovers',
  },
  {
    point: 'kolla-sidecar shows the same; a log server takes a service down only where that is asked for',
    file: 'test/integration/kolla-sidecar.test.ts',
    test: 'a log server that rejects us makes the Pod unready only on request',
  },
  {
    point:
      'docs/reference/kolla-log-ship.md and docs/how-to/migration-fluentd.md: fields by format, metrics, alerts, every example run',
    file: 'test/logship/docs.test.ts',
    test: EVERY,
  },
  {
    point: 'what faults are made with: the sink refuses, rejects, delays, cuts and counts as it is told',
    file: 'test/support/bulk-sink.test.ts',
    test: EVERY,
  },
];
