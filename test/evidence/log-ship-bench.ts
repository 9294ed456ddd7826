import { tests, type Point } from './point.ts';

/** What `make bench NAME=log-ship` printed last of some rows. */
function figures(rows: string): string {
  const program = [
    "const { commit, rows } = require('./docs/evidence/bench-log-ship.json')",
    `for (const { what, ours, unit, reach, peer } of rows) if (${rows}.test(what)) console.log(what, ours, unit, ours <= reach ? 'reached' : 'NOT reached', reach, 'rsyslog', peer, commit)`,
  ].join(';');
  return `node_modules/.bin/node -e "${program}"`;
}

/** CPU as a share of rsyslog's in the same run: seconds differ from machine to machine, and so do both. */
function shareOfPeer(documents: string, reach: number): string {
  const program = [
    "const { commit, rows } = require('./docs/evidence/bench-log-ship.json')",
    `for (const { what, ours, peer } of rows) if (/^${documents}, . files?: CPU$/.test(what)) console.log(what, (ours / peer).toFixed(2), ours / peer <= ${reach} ? 'reached' : 'NOT reached', ${reach}, commit)`,
  ].join(';');
  return `node_modules/.bin/node -e "${program}"`;
}

/**
 * What shipping must not exceed, beside rsyslog on the same files and the same sink. Where 1.9 and 4.0 s were set as the
 * figures to reach rsyslog needed 10.1 and 17.7 s.
 */
export const LOG_SHIP_BENCH: readonly Point[] = [
  {
    point:
      '1,000,000 lines raw with ids, from 1 file and from 4: at most 0.19 of rsyslog’s CPU (`make bench NAME=log-ship`)',
    command: shareOfPeer('raw', 0.19),
    match: /raw, 1 file: CPU [\d.]+ reached.*\nraw, 4 files: CPU [\d.]+ reached.*/,
  },
  {
    point: 'the same parsed to Kolla’s fields, with ids and checkpoints: at most 0.23 of rsyslog’s CPU',
    command: shareOfPeer('parsed', 0.23),
    match: /parsed, 1 file: CPU [\d.]+ reached.*\nparsed, 4 files: CPU [\d.]+ reached.*/,
  },
  {
    point: 'the same in seconds of this machine: raw at most 1.9 s, parsed at most 4 s',
    command: figures('/: CPU$/'),
    match: /raw, 1 file: CPU [\d.]+ s reached[^]*parsed, 1 file: CPU [\d.]+ s reached/,
  },
  {
    point: 'memory under load: at most 100 MB',
    command: figures('/memory at most/'),
    match: /(memory at most [\d.]+ MB reached.*\n?){4}/,
  },
  {
    point: 'at rest with 50 files: at most 60 MB and 0.2 % of a core',
    command: figures('/^idle/'),
    match: /CPU [\d.]+ % of a core reached.*\n.*memory [\d.]+ MB reached/,
  },
  {
    point: 'what faults are made with: the sink refuses, rejects, delays, cuts and counts as it is told',
    command: tests('test/support/bulk-sink.test.ts'),
    match: /ℹ fail 0/,
  },
];
