import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import TailFile from 'tail-file';
import type { Content } from '../../../src/logship/read/content.ts';
import type { Contents } from '../../../src/logship/read/contents.ts';
import type { LineSource, ReadOptions } from '../../../src/logship/read/line-reader.ts';
import type { TakeLine } from '../../../src/logship/read/take-line.ts';

/**
 * Adapts the tail-file package to the reader's interface. It has no offsets, so they are counted here, and no
 * backpressure, so reads in between are buffered.
 */
export class TailFileSource implements LineSource {
  readonly #path: string;
  readonly #contents: Contents;
  readonly #queue: string[] = [];
  #tail: TailFile | undefined;
  #content: Content | undefined;
  #offset = 0;
  /** How often it has reached the end of the file. */
  ends = 0;

  constructor(path: string, contents: Contents) {
    this.#path = path;
    this.#contents = contents;
  }

  get left(): number {
    return this.#queue.length;
  }

  look(): void {
    if (this.#tail !== undefined || !existsSync(this.#path)) return;
    this.#tail = new TailFile(this.#path, { startPos: 'start', force: true });
    this.#tail.on('line', (line: string) => void this.#queue.push(line));
    this.#tail.on('eof', () => void this.ends++);
    // With `force`, tail-file continues after an error; without a listener the event would end the process.
    this.#tail.on('error', () => {});
    this.#tail.start();
  }

  async read(take: TakeLine, { pace }: ReadOptions): Promise<boolean> {
    if (!(await pace())) return this.#queue.length > 0;
    for (const text of this.#queue.splice(0)) {
      const line = Buffer.from(text);
      const next = this.#offset + line.length + 1;
      take(this.#identify(line), line, this.#offset, next, false);
      this.#offset = next;
    }
    return false;
  }

  async changed(ms: number, signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    if (this.#tail !== undefined) await once(this.#tail, 'line', { signal: over }).catch(() => {});
    signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    void this.#tail?.stop();
  }

  #identify(line: Buffer): Content {
    const { dev, ino } = statSync(this.#path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
    const found = {
      path: this.#path,
      dev,
      ino,
      final: true,
      isRotated: false,
      from: { offset: 0, skipping: false },
    };
    this.#content ??= this.#contents.begin({ ...found, beginning: Buffer.concat([line, Buffer.of(10)]) });
    return this.#content!;
  }
}
