import { tests, type Point } from './point.ts';

const unit = (file: string, names?: string) => tests(`test/logship/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

/** What runs beside the pipelines, what is told of them, and what the pages say. */
export const LOG_SHIP_ASIDE: readonly Point[] = [
  {
    point:
      'an endless writer under a sizeLimit: 1 GiB to a volume of 64 MiB, the shipper killed twice: never full, every line once',
    command: `RECLAIM_MIB=1024 ${tests('test/integration/kolla-log-ship-reclaim.test.ts')}`,
    match: /✔ 1024 MiB written to a volume of 64 MiB, the shipper killed twice: never full, every line in once/,
  },
  {
    point: 'disk is given back only before what every checkpoint holds; size, offsets and all other bytes stay',
    command: unit('reclaim/reclaimer', 'given back|left alone'),
    match: /✔ acknowledged bytes are given back; size, offsets and all other bytes stay/,
  },
  {
    point:
      'on by itself for an emptyDir or a volume in memory alone; refused once, with the way out, where unsupported',
    command: unit('reclaim/*'),
    match: NO_FAILURE,
  },
  {
    point:
      'a re-read without a checkpoint ships neither the NULs of what was given back nor torn lines, under the same ids',
    command: unit('read/hole'),
    match: /✔ a file that was given back for many chunks is read around the hole: no NUL, no torn line/,
  },
  {
    point: 'syslog: RFC 3164, 5424 and neither, newlines escaped, own rotation, what the kernel drops counted',
    command: unit('syslog/*'),
    match: NO_FAILURE,
  },
  {
    point: 'what comes by syslog just before SIGTERM is in its file before that is read to its end, and is shipped',
    command: unit('beside', 'syslog just before'),
    match: /✔ what comes by syslog just before the end is shipped, and \/metrics counts it/,
  },
  {
    point: '/metrics: each metric of the page, per file and destination, labels escaped, 500 files at most',
    command: unit('{docs,serve/server}', 'metric|500 files'),
    match: /✔ the page lists every metric, and none else/,
  },
  {
    point:
      '/readyz is off while the server refuses us, with the reason for who is in the pod, and comes back; /livez stays',
    command: unit('beside', 'refuses us'),
    match: /✔ a server that refuses us turns readiness off, with the reason for who is in the pod; it comes back/,
  },
  {
    point: 'kolla-sidecar shows the same; a log server takes a service down only where that is asked for',
    command: tests('test/integration/kolla-sidecar.test.ts', 'log server that refuses'),
    match: /✔ a log server that refuses us takes the pod out of service only where that is asked for/,
  },
  {
    point: 'docs/kolla-log-ship.md and docs/migration-fluentd.md: fields by format, metrics, alerts, every example run',
    command: unit('docs'),
    match: NO_FAILURE,
  },
];
