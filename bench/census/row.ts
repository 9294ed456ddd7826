/** Result of one check. */
export interface Answer {
  readonly healthy: boolean;
  /** Reason of an unhealthy result; for a healthy one the details, if any. */
  readonly reason: string;
  /** kolla-core's result for the same arguments, if it has that check. */
  readonly onCore?: Answer;
}

/** One state of a container, with the results of its checks. */
export interface Seen {
  /** Short description: `connected to 5672`. */
  readonly state: string;
  /** By Kolla's script; undefined if the declared check is not one of them. */
  readonly declared: Answer | undefined;
  readonly readiness: Answer;
  readonly liveness: Answer;
}

export interface Row {
  readonly service: string;
  readonly container: string;
  readonly declared: string;
  readonly readiness: string;
  readonly liveness: string;
  /** Reason why it was not run. */
  readonly skipped?: string;
  readonly well?: Seen;
  readonly unwell?: Seen;
  /** Whether a restart would help in the unhealthy state: liveness must then fail too. */
  readonly isDead?: boolean;
}
