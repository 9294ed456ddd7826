import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import TailFile from 'tail-file';
import type { Content, Contents } from '../../../src/logship/read/contents.ts';
import type { LineSource, ReadOptions, TakeLine } from '../../../src/logship/read/line-reader.ts';

/**
 * The package tail-file behind the interface of our own reader. It tells no places in the file, so that they are counted
 * here, and it can't be held up: what comes between reads is kept.
 */
export class TailFileSource implements LineSource {
  readonly #path: string;
  readonly #contents: Contents;
  readonly #queue: string[] = [];
  #tail: TailFile | undefined;
  #content: Content | undefined;
  #offset = 0;
  /** How often it came to the file's end. */
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
    // It goes on by itself (force), and says so in no other way.
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
    const { dev, ino, size } = statSync(this.#path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0, size: 0 };
    const found = {
      path: this.#path,
      dev,
      ino,
      size,
      final: true,
      isRotated: false,
      from: { offset: 0, skipping: false },
    };
    this.#content ??= this.#contents.identify({ ...found, beginning: Buffer.concat([line, Buffer.of(10)]) });
    return this.#content!;
  }
}
