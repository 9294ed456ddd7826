import type { Log } from '../core/log.ts';
import type { Counts } from './report/counts.ts';
import type { Contents } from './read/contents.ts';
import type { LineSource } from './read/line-reader.ts';
import type { DeadLetters } from './send/dead-letter.ts';
import type { Outage } from './send/deliver.ts';
import type { Sink } from './sink/sink.ts';
import type { CheckpointWriter } from './state/checkpoint.ts';

/** What the path of lines to one destination consists of. */
export interface Parts {
  readonly lines: LineSource;
  readonly contents: Contents;
  readonly sink: Sink;
  readonly checkpoint: CheckpointWriter;
  readonly deadLetters: DeadLetters;
  readonly counts: Counts;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly outage: Outage;
}

export interface ShipOptions {
  /** The present maximum number of bytes in memory. */
  readonly inFlightBytes: () => number;
  /** The part of inFlightBytes that the reader always uses. */
  readonly readBytes: number;
  /** Maximum length of a line. */
  readonly maxLineBytes: number;
  /** Exits when all existing lines are acknowledged. */
  readonly once: boolean;
  /** Ends when the server has accepted nothing for this time; undefined if it is waited for forever. */
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
  /** An event ends after this time without a line. */
  readonly eventTimeoutMs: number;
  /** The earliest generation of the target to which an earlier run may have sent lines; undefined if none has run. */
  readonly indexGeneration: number | undefined;
}
