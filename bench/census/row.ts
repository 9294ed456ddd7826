/** What one question was answered with. */
export interface Answer {
  readonly healthy: boolean;
  /** Of an unhealthy one; of a healthy one what was seen, if it says. */
  readonly reason: string;
  /** What kolla-core says to the same words, where it has that check. */
  readonly onCore?: Answer;
}

/** One state of one container, and what was said of it. */
export interface Seen {
  /** In a few words: `connected to 5672`. */
  readonly state: string;
  /** By Kolla's name; undefined where what is declared is none of Kolla's scripts. */
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
  /** Why it was not asked. */
  readonly skipped?: string;
  readonly well?: Seen;
  readonly unwell?: Seen;
  /** Whether a restart would help in that state: then liveness shall fail as well. */
  readonly isDead?: boolean;
}
