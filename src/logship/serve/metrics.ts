import type { Family, Sample } from '../../net/prometheus.ts';
import type { FileState } from '../report/counts.ts';
import type { DestinationState, Shown, SideState } from '../report/view.ts';
import type { Lags } from './lag.ts';

/**
 * A file has four series per destination. Files beyond this number have no series of their own, and count only in the
 * sums.
 */
const FILES = 500;

type Row = readonly [name: string, type: Family['type'], help: string, value: (of: DestinationState) => number];

const OF_DESTINATIONS: readonly Row[] = [
  ['lines_total', 'counter', 'Lines shipped in documents, alone or with others.', (of) => of.counts.lines],
  ['acknowledged_total', 'counter', 'Documents accepted by the destination.', (of) => of.counts.acknowledged],
  [
    'already_total',
    'counter',
    'Documents that already existed (409): sent twice, indexed once.',
    (of) => of.counts.already,
  ],
  ['retries_total', 'counter', 'Documents sent again.', (of) => of.counts.retried],
  [
    'dead_letters_total',
    'counter',
    'Documents that were rejected, dropped by a pipeline or diverted to a failure store: each is in the dead-letter file.',
    (of) => of.counts.rejected,
  ],
  [
    'dead_letters_overwritten_total',
    'counter',
    'Dead letters overwritten by newer ones.',
    (of) => of.counts.lettersDropped,
  ],
  [
    'dropped_total',
    'counter',
    'Documents neither settled, in flight, nor left for the next start: always 0.',
    (of) => of.dropped,
  ],
  ['requests_total', 'counter', 'Requests, including failed ones.', (of) => of.counts.requests],
  ['cut_lines_total', 'counter', 'Lines longer than --max-line-bytes, shipped truncated.', (of) => of.counts.cut],
  ['lost_bytes_total', 'counter', 'Bytes truncated or removed before they were read.', (of) => of.counts.lostBytes],
  [
    'nul_bytes_total',
    'counter',
    'NUL bytes between lines, left by a crash or by a writer without O_APPEND.',
    (of) => of.counts.nulBytes,
  ],
  [
    'skipped_bytes_total',
    'counter',
    'Bytes not shipped: of lines longer than --max-line-bytes, and of reclaimed parts that are read again.',
    (of) => of.counts.skippedBytes,
  ],
  [
    'waiting',
    'gauge',
    'Documents waiting because the destination rejects them temporarily and accepts others.',
    (of) => of.waiting,
  ],
  ['lag_bytes', 'gauge', 'Unacknowledged bytes in files.', (of) => of.lagBytes],
  ['lag_seconds', 'gauge', 'Age of the oldest line read and not acknowledged.', (of) => of.lagSeconds],
  ['in_flight_bytes', 'gauge', 'Bytes in memory, from reading to acknowledgement.', (of) => of.memoryBytes],
  [
    'checkpoint_age_seconds',
    'gauge',
    'Time since the checkpoint on disk covered everything acknowledged.',
    (of) => of.checkpointAgeMs / 1000,
  ],
  [
    'outage',
    'gauge',
    'Whether the destination rejects writes (1) or accepts them (0).',
    (of) => Number(of.outage !== undefined),
  ],
];

type FileRow = readonly [name: string, type: Family['type'], help: string, value: (file: FileState) => number];

const OF_FILES: readonly FileRow[] = [
  ['file_lines_total', 'counter', 'Lines of a file shipped in documents.', ({ lines }) => lines],
  ['file_bytes_total', 'counter', 'Bytes read from a file.', ({ bytes }) => bytes],
  ['file_lag_bytes', 'gauge', 'Unacknowledged bytes of a file.', ({ left }) => left],
];

/**
 * Metrics about shipping. They contain only names, paths and numbers, because every client of the port can read the
 * page.
 */
export function shippingFamilies(shown: Shown, lags: Lags): Family[] {
  const states = shown.pipelines();
  const ofEach = (value: (of: DestinationState) => number): Sample[] =>
    states.map((of) => ({ labels: { to: of.name }, value: rounded(value(of)) }));
  return [
    ...OF_DESTINATIONS.map(([name, type, help, value]) => family(name, type, help, ofEach(value))),
    ...fileFamilies(states, lags),
    ...sideFamilies(shown.side()),
  ];
}

function fileFamilies(states: readonly DestinationState[], lags: Lags): Family[] {
  const all = states.map(({ name, fileStates }) => ({ to: name, files: fileStates() }));
  const count = all.map(({ to, files }) => ({ labels: { to }, value: files.length }));
  const samples = (value: (file: FileState, to: string) => number): Sample[] =>
    all.flatMap(({ to, files }) =>
      files.slice(0, FILES).map((file) => ({ labels: { to, file: file.path }, value: rounded(value(file, to)) })),
    );
  const age = (file: FileState, to: string) => lags.ofFile(to, file.path) / 1000;
  return [
    family('files', 'gauge', 'Files being followed.', count),
    ...OF_FILES.map(([name, type, help, value]) => family(name, type, help, samples(value))),
    family('file_lag_seconds', 'gauge', 'Age of the oldest unacknowledged byte of a file.', samples(age)),
  ];
}

function sideFamilies({ reclaimed, syslog }: SideState): Family[] {
  const one = (name: string, help: string, value: number | undefined): Family[] =>
    value === undefined ? [] : [family(name, 'counter', help, [{ value }])];
  return [
    ...one('reclaimed_bytes_total', 'Bytes of disk reclaimed from lines acknowledged by every destination.', reclaimed),
    ...one('syslog_received_total', 'Syslog datagrams received.', syslog?.received),
    ...one('syslog_lost_total', 'Syslog lines that could not be written to a file.', syslog?.lost),
    ...one(
      'syslog_dropped_total',
      'Syslog datagrams dropped by the kernel because its buffer was full.',
      syslog?.dropped,
    ),
  ];
}

function family(name: string, type: Family['type'], help: string, samples: readonly Sample[]): Family {
  return { name: `kolla_log_ship_${name}`, type, help, samples };
}

/** Rounds to milliseconds, in seconds. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
