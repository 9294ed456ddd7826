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

/** One file, as one destination's reader sees it. Counts are since the start, over all contents that the path had. */
export interface FileState {
  readonly path: string;
  /** Lines that were read. */
  readonly lines: number;
  /** Bytes that were read. */
  readonly bytes: number;
  /** Bytes that are not read yet. */
  readonly unread: number;
  /** Bytes that are not acknowledged, read or not. */
  readonly left: number;
  /** Of these, bytes of contents that are no longer at the path. */
  readonly leftOfFormer: number;
}

/** What was read of a content. */
type Read = Omit<FileState, 'leftOfFormer'>;
/** What was read of contents that are closed. */
type Closed = ReadonlyMap<string, Pick<FileState, 'lines' | 'bytes'>>;

const NOTHING = { lines: 0, bytes: 0, unread: 0, left: 0, leftOfFormer: 0 };

/** One a path. @param isFormer whether it is no longer at its path */
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
