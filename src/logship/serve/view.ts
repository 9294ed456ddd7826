import type { Counts } from '../counts.ts';
import type { FileState } from '../read/file-state.ts';

/** How one destination stands at this moment: of a pipeline's state, what is shown here. */
export interface DestinationState {
  /** `elasticsearch-es-9200`: good for a label. */
  readonly name: string;
  /** Bytes in files that are not acknowledged. */
  readonly lagBytes: number;
  /** How long the oldest line that was read has been waiting for its acknowledgement. */
  readonly lagSeconds: number;
  readonly counts: Readonly<Counts>;
  /** Why it takes nothing, and since when in milliseconds since the epoch; undefined while it takes something. */
  readonly outage: { readonly reason: string; readonly sinceMs: number } | undefined;
  readonly checkpointAgeMs: number;
  /** Documents that it does not take, while it takes others. */
  readonly waiting: number;
  /** Bytes between file and acknowledgement. */
  readonly memoryBytes: number;
  /** Documents that are neither settled nor on their way: there must be none. */
  readonly dropped: number;
  readonly fileStates: () => readonly FileState[];
}

/** What runs beside the pipelines. */
export interface SideState {
  /** Bytes of disk that were given back; undefined where nothing is. */
  readonly reclaimed: number | undefined;
  readonly syslog: SyslogState | undefined;
}

export interface SyslogState {
  readonly received: number;
  readonly lost: number;
  /** Undefined where that can't be seen. */
  readonly dropped: number | undefined;
}

/** All that is shown of shipping; asked at each request. */
export interface Shown {
  readonly pipelines: () => readonly DestinationState[];
  readonly side: () => SideState;
}
