/** What happened to lines since the start. */
export interface Counts {
  /** Lines read, cut ones too. */
  lines: number;
  /** Documents that were made of them. */
  documents: number;
  /** Requests, those that failed too. */
  requests: number;
  /** Documents that the server took. */
  acknowledged: number;
  /** Documents that it had already, from an earlier try or run. */
  already: number;
  /** Documents that it will never take: they lie in the dead-letter file. */
  rejected: number;
  /** Of those, how many were written over since because the files were full. */
  lettersDropped: number;
  /** Documents sent again. */
  retried: number;
  /** Lines longer than the cap, shipped without their end. */
  cut: number;
  /** Bytes that were truncated away before they were read. */
  lostBytes: number;
}

export function newCounts(): Counts {
  return {
    lines: 0,
    documents: 0,
    requests: 0,
    acknowledged: 0,
    already: 0,
    rejected: 0,
    lettersDropped: 0,
    retried: 0,
    cut: 0,
    lostBytes: 0,
  };
}
