/** Statistics about lines since the start. */
export interface Counts {
  /** Lines that were read, including truncated ones. */
  lines: number;
  /** Documents that were built. */
  documents: number;
  /** Requests that were sent, including failed ones. */
  requests: number;
  /** Documents that the server accepted. */
  acknowledged: number;
  /** Documents that were already indexed by an earlier attempt or run, by a 409 or because they were found. */
  already: number;
  /** Documents that will not be indexed, written to the dead-letter file. */
  rejected: number;
  /** Dead letters that were overwritten because the files were full. */
  lettersDropped: number;
  /** Documents that were sent again. */
  retried: number;
  /** Lines longer than the limit, which were truncated. */
  cut: number;
  /** Bytes lost to truncation before they were read. */
  lostBytes: number;
  /** NULs that ended lines. */
  nulBytes: number;
  /** Bytes that were not shipped: of lines over the limit, and of reclaimed ranges that were read again. */
  skippedBytes: number;
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
    nulBytes: 0,
    skippedBytes: 0,
  };
}

/** One file as seen by one destination's reader. Counts since the start, over all generations of the path. */
export interface FileState {
  readonly path: string;
  /** Lines that were read. */
  readonly lines: number;
  /** Bytes that were read. */
  readonly bytes: number;
  /** Bytes that were not yet read. */
  readonly unread: number;
  /** Bytes that were not acknowledged, whether or not they were read. */
  readonly left: number;
  /** The part of `left` that belongs to generations no longer at the path. */
  readonly leftOfFormer: number;
}

/** The reading state of one generation. */
type Read = Omit<FileState, 'leftOfFormer'>;
/** Totals over closed generations. */
type Closed = ReadonlyMap<string, Pick<FileState, 'lines' | 'bytes'>>;

const NOTHING = { lines: 0, bytes: 0, unread: 0, left: 0, leftOfFormer: 0 };

/** Adds a generation that is closed, while the path has others. */
export function addClosed(
  closed: Map<string, Pick<FileState, 'lines' | 'bytes'>>,
  { path, lines, bytes }: Pick<FileState, 'path' | 'lines' | 'bytes'>,
  hasOthers: boolean,
): void {
  const before = closed.get(path) ?? NOTHING;
  if (hasOthers) closed.set(path, { lines: before.lines + lines, bytes: before.bytes + bytes });
  else closed.delete(path);
}

/**
 * Combines the generations into one entry per path.
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
