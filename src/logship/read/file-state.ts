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
export type Closed = ReadonlyMap<string, Pick<FileState, 'lines' | 'bytes'>>;

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
