/** Maximum number of lines in an event, and of bytes of its text. Further lines become separate events. */
const MAX_LINES = 1000;
const MAX_BYTES = 1024 * 1024;
/** Maximum distance between an event's last line and its next one in a file with several writers. */
const REACH_BYTES = 64 * 1024;

/** An event that may still grow. */
export class OpenEvent {
  readonly offset: number;
  readonly pid: number;
  readonly timeMs: number;
  readonly isDated: boolean;
  /** Whether its first line `opens`. */
  readonly opens: boolean;
  endOffset: number;
  endMs: number;
  heldBytes: number;
  #lines: Buffer[];
  #textBytes: number;

  constructor(
    line: Buffer,
    span: { readonly offset: number; readonly endOffset: number; readonly endMs: number },
    first: Pick<OpenEvent, 'pid' | 'timeMs' | 'isDated' | 'opens'>,
  ) {
    this.offset = span.offset;
    this.endOffset = span.endOffset;
    this.endMs = span.endMs;
    this.pid = first.pid;
    this.timeMs = first.timeMs;
    this.isDated = first.isDated;
    this.opens = first.opens;
    this.heldBytes = span.endOffset - span.offset;
    this.#lines = [line];
    this.#textBytes = line.length;
  }

  get lines(): number {
    return this.#lines.length;
  }

  /** Its lines without line endings, joined by newlines. */
  get text(): Buffer {
    return Buffer.concat(this.#lines.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from('\n'), line])));
  }

  get firstLine(): Buffer {
    return this.#lines[0]!;
  }

  /** The first byte of the last line, if that is not the first one; undefined if it is empty. */
  get lastStart(): number | undefined {
    return this.#lines.at(-1)![0];
  }

  /** Copies the lines, whose chunk is overwritten. */
  keep(): void {
    this.#lines = this.#lines.map((line) => Buffer.from(line));
  }

  reaches(offset: number): boolean {
    return offset - this.endOffset <= REACH_BYTES;
  }

  hasRoomFor(line: Buffer): boolean {
    return this.lines < MAX_LINES && this.#textBytes + line.length < MAX_BYTES;
  }

  join(line: Buffer, offset: number, endOffset: number, endMs: number): void {
    this.#lines.push(line);
    this.#textBytes += 1 + line.length;
    this.heldBytes += endOffset - offset;
    this.endOffset = endOffset;
    this.endMs = endMs;
  }
}
