import type { Counts, FileState } from './counts.ts';

/** Why a destination takes nothing, and since when in milliseconds since the epoch. */
interface Held {
  readonly reason: string;
  readonly sinceMs: number;
}

/** How one destination stands at this moment. */
export interface PipelineState {
  /** `elasticsearch-es-9200`: for labels, and its files in the state directory. */
  readonly name: string;
  /** For messages: `elasticsearch at http://es:9200`. Without credentials. */
  readonly to: string;
  /** How many are followed. */
  readonly files: number;
  /** Bytes in files that are not acknowledged. */
  readonly lagBytes: number;
  /** How long the oldest line that was read has been waiting for its acknowledgement; 0 without one. */
  readonly lagSeconds: number;
  readonly counts: Readonly<Counts>;
  /** Undefined while it takes documents. */
  readonly outage: Held | undefined;
  /** How old the checkpoint is; 0 while it says all that was acknowledged. */
  readonly checkpointAgeMs: number;
  /** Documents that wait apart because the server does not take them, while it takes others. */
  readonly waiting: number;
  /** Of the budget. */
  readonly memoryBytes: number;
  /** Documents that are neither settled nor on their way: there must be none. */
  readonly dropped: number;
  readonly fileStates: () => readonly FileState[];
}

/** What runs beside the pipelines. */
export interface SideState {
  /** Bytes of disk that were reclaimed; undefined where nothing is. */
  readonly reclaimed: number | undefined;
  readonly syslog: SyslogState | undefined;
}

interface SyslogState {
  readonly received: number;
  readonly lost: number;
  /** Undefined where that can't be seen. */
  readonly dropped: number | undefined;
}

/** How shipping stands, for who shows it. Each is asked when it is wanted. */
export interface ShippingView {
  /** Where lines go, without credentials. */
  readonly to: string;
  readonly files: () => number;
  /** Bytes that are not acknowledged: of all destinations together. */
  readonly left: () => number;
  /** Of all destinations together. */
  readonly counts: () => Readonly<Counts>;
  /** Why a server takes nothing, the longest lasting first; undefined while all do. */
  readonly outage: () => Held | undefined;
  /** One a destination, in the order of `--to`. */
  readonly pipelines: () => readonly PipelineState[];
  /** What runs beside them. */
  readonly side: () => SideState;
}

/** Of a destination's state, what probes and Prometheus are told. */
export type DestinationState = Omit<PipelineState, 'to' | 'files'>;

/** All that is shown of shipping; asked at each request. */
export interface Shown extends Pick<ShippingView, 'side'> {
  readonly pipelines: () => readonly DestinationState[];
}

/** The same of several at once. */
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
