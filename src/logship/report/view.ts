import type { Counts, FileState } from './counts.ts';

/** Why a destination does not accept writes, and since when (milliseconds since the epoch). */
interface Held {
  readonly reason: string;
  readonly sinceMs: number;
}

/** The current state of one destination. */
export interface PipelineState {
  /** The destination's name in labels and in file names of the state directory: `elasticsearch-es-9200`. */
  readonly name: string;
  /** The destination's name in messages: `elasticsearch at http://es:9200`. It contains no credentials. */
  readonly to: string;
  /** Number of followed files. */
  readonly files: number;
  /** Unacknowledged bytes in files. */
  readonly lagBytes: number;
  /** Age of the oldest line that was read but not acknowledged; 0 if there is none. */
  readonly lagSeconds: number;
  readonly counts: Readonly<Counts>;
  /** Undefined while the destination accepts writes. */
  readonly outage: Held | undefined;
  /** Age of the checkpoint; 0 while it covers everything acknowledged. */
  readonly checkpointAgeMs: number;
  /** Number of documents that wait separately, because the server accepts others but not them. */
  readonly waiting: number;
  /** Number of bytes that the budget counts. */
  readonly memoryBytes: number;
  /** Number of documents that are neither settled nor in flight. It must be 0. */
  readonly dropped: number;
  readonly fileStates: () => readonly FileState[];
}

/** The state of the background tasks. */
export interface SideState {
  /** Bytes of disk that were reclaimed; undefined if reclaiming is disabled. */
  readonly reclaimed: number | undefined;
  readonly syslog: SyslogState | undefined;
}

interface SyslogState {
  readonly received: number;
  readonly lost: number;
  /** Undefined if unknown. */
  readonly dropped: number | undefined;
}

/** The state of shipping for display, evaluated on demand. */
export interface ShippingView {
  /** The destinations of lines, without credentials. */
  readonly to: string;
  readonly files: () => number;
  /** Unacknowledged bytes of all destinations together. */
  readonly left: () => number;
  /** Sums over all destinations. */
  readonly counts: () => Readonly<Counts>;
  /** Why a server does not accept writes, for the longest outage; undefined if there is none. */
  readonly outage: () => Held | undefined;
  /** One entry per destination, in the order of `--to`. */
  readonly pipelines: () => readonly PipelineState[];
  /** The background tasks. */
  readonly side: () => SideState;
}

/** The part of a destination's state that probes and Prometheus see. */
export type DestinationState = Omit<PipelineState, 'to' | 'files'>;

/** The state of shipping that probes and Prometheus see, evaluated on each request. */
export interface Shown extends Pick<ShippingView, 'side'> {
  readonly pipelines: () => readonly DestinationState[];
}

/** The combined state of several destinations. */
export function viewOf(states: () => readonly PipelineState[], side: () => SideState): ShippingView {
  return {
    to: states()
      .map(({ to }) => to)
      .join(' and '),
    files: () => Math.max(...states().map(({ files }) => files)),
    left: () => states().reduce((sum, { lagBytes }) => sum + lagBytes, 0),
    counts: () =>
      states()
        .map(({ counts }) => counts)
        .reduce(added),
    outage: () =>
      states()
        .flatMap(({ outage }) => outage ?? [])
        .toSorted((a, b) => a.sinceMs - b.sinceMs)[0],
    pipelines: states,
    side,
  };
}

function added(a: Readonly<Counts>, b: Readonly<Counts>): Counts {
  const sum = { ...a };
  for (const key of Object.keys(sum) as (keyof Counts)[]) sum[key] += b[key];
  return sum;
}
