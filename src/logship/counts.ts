/** Line statistics since the start. */
export interface Counts {
  /** Lines read, including truncated ones. */
  lines: number;
  /** Documents built. */
  documents: number;
  /** Requests, including failed ones. */
  requests: number;
  /** Documents accepted by the server. */
  acknowledged: number;
  /** Documents that were already indexed by an earlier attempt or run. */
  already: number;
  /** Documents rejected permanently and written to the dead-letter file. */
  rejected: number;
  /** Dead letters overwritten since because the files were full. */
  lettersDropped: number;
  /** Documents sent again. */
  retried: number;
  /** Lines longer than the limit, truncated. */
  cut: number;
  /** Bytes lost to truncation before they were read. */
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

/** One file as seen by one destination's reader. Counts since the start, over all generations of the path. */
export interface FileState {
  readonly path: string;
  /** Lines read. */
  readonly lines: number;
  /** Bytes read. */
  readonly bytes: number;
  /** Bytes not yet read. */
  readonly unread: number;
  /** Bytes not acknowledged, read or not. */
  readonly left: number;
  /** Of these, bytes of generations no longer at the path. */
  readonly leftOfFormer: number;
}

/** Reading state of one generation. */
type Read = Omit<FileState, 'leftOfFormer'>;
/** Totals of closed generations. */
type Closed = ReadonlyMap<string, Pick<FileState, 'lines' | 'bytes'>>;

const NOTHING = { lines: 0, bytes: 0, unread: 0, left: 0, leftOfFormer: 0 };

/**
 * One entry per path.
 * @param isFormer whether the generation is no longer at its path
 */
export function fileStatesOf<T extends Read>(
  tails: readonly T[],
  isFormer: (tail: T) => boolean,
  closed: Closed,
): readonly FileState[] {
  const states = new Map<string, FileState>();
  for (const tail of tails) {
    const { path, lines, bytes, unread, left } = tail;
    const same = states.get(path) ?? { ...NOTHING, ...closed.get(path), path };
    states.set(path, {
      path,
      lines: same.lines + lines,
      bytes: same.bytes + bytes,
      unread: same.unread + unread,
      left: same.left + left,
      leftOfFormer: same.leftOfFormer + (isFormer(tail) ? left : 0),
    });
  }
  return [...states.values()];
}
