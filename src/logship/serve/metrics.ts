import type { Family, Sample } from '../../net/prometheus.ts';
import type { FileState } from '../counts.ts';
import type { DestinationState, Shown, SideState } from '../view.ts';
import type { Lags } from './lag.ts';

/**
 * A file has four series per destination. Files beyond this number have no series of their own, and count only in the
 * sums.
 */
const FILES = 500;

type Row = readonly [name: string, type: Family['type'], help: string, value: (of: DestinationState) => number];

const OF_DESTINATIONS: readonly Row[] = [
  ['lines_total', 'counter', 'Lines that became documents, alone or with others.', (of) => of.counts.lines],
  ['acknowledged_total', 'counter', 'Documents that the destination took.', (of) => of.counts.acknowledged],
  [
    'already_total',
    'counter',
    'Documents that it had already (409): sent twice, indexed once.',
    (of) => of.counts.already,
  ],
  ['retries_total', 'counter', 'Documents that were sent again.', (of) => of.counts.retried],
  [
    'dead_letters_total',
    'counter',
    'Documents that it rejected; they are in the dead-letter file.',
    (of) => of.counts.rejected,
  ],
  [
    'dead_letters_overwritten_total',
    'counter',
    'Dead letters that had to make room for newer ones.',
    (of) => of.counts.lettersDropped,
  ],
  [
    'dropped_total',
    'counter',
    'Documents made that are neither settled, on their way nor left to the next start: always 0.',
    (of) => of.dropped,
  ],
  ['requests_total', 'counter', 'Requests, those that failed too.', (of) => of.counts.requests],
  [
    'cut_lines_total',
    'counter',
    'Lines longer than --max-line-bytes, shipped without their end.',
    (of) => of.counts.cut,
  ],
  [
    'lost_bytes_total',
    'counter',
    'Bytes that others truncated away before they were read.',
    (of) => of.counts.lostBytes,
  ],
  ['waiting', 'gauge', 'Documents that it does not take while it takes others.', (of) => of.waiting],
  ['lag_bytes', 'gauge', 'Bytes in files that are not acknowledged.', (of) => of.lagBytes],
  [
    'lag_seconds',
    'gauge',
    'How long the oldest line that was read waits for its acknowledgement.',
    (of) => of.lagSeconds,
  ],
  ['in_flight_bytes', 'gauge', 'Bytes in memory between file and acknowledgement.', (of) => of.memoryBytes],
  [
    'checkpoint_age_seconds',
    'gauge',
    'How long ago the checkpoint on disk held all that was acknowledged.',
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
  ['file_lines_total', 'counter', 'Lines of a file that became documents.', ({ lines }) => lines],
  ['file_bytes_total', 'counter', 'Bytes that were read of a file.', ({ bytes }) => bytes],
  ['file_lag_bytes', 'gauge', 'Bytes of a file that are not acknowledged.', ({ left }) => left],
];

/** Metrics of shipping. Names, paths and numbers only: every client of the port can read the page. */
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
    family('files', 'gauge', 'Files that are followed.', count),
    ...OF_FILES.map(([name, type, help, value]) => family(name, type, help, samples(value))),
    family(
      'file_lag_seconds',
      'gauge',
      'How long the oldest byte of a file waits for its acknowledgement.',
      samples(age),
    ),
  ];
}

function sideFamilies({ reclaimed, syslog }: SideState): Family[] {
  const one = (name: string, help: string, value: number | undefined): Family[] =>
    value === undefined ? [] : [family(name, 'counter', help, [{ value }])];
  return [
    ...one('reclaimed_bytes_total', 'Bytes of disk reclaimed, of lines that every destination has.', reclaimed),
    ...one('syslog_received_total', 'Syslog datagrams that came.', syslog?.received),
    ...one('syslog_lost_total', 'Syslog lines that no file took.', syslog?.lost),
    ...one('syslog_dropped_total', 'Syslog datagrams that the kernel had no room for.', syslog?.dropped),
  ];
}

function family(name: string, type: Family['type'], help: string, samples: readonly Sample[]): Family {
  return { name: `kolla_log_ship_${name}`, type, help, samples };
}

/** Rounds seconds to milliseconds. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
