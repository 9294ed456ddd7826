import { readFileSync, statSync } from 'node:fs';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** A file that is read again when it has changed: a Secret in a volume is renewed under a pod that goes on. */
export class WatchedFile {
  readonly file: string;
  readonly #option: string;
  #seen = '';
  #text = '';
  #failure = '';

  /**
   * @param option that named it, for messages
   * @throws ConfigError for a file that can't be read or is empty; never with its text
   */
  constructor(file: string, option: string) {
    this.file = file;
    this.#option = option;
    this.#read();
  }

  /** Without the line break that such files often end with. */
  get text(): string {
    return this.#text;
  }

  /** Looks at it again. One that can't be read now stays what it was, which is said once. Whether it has changed. */
  refresh(log: Log): boolean {
    try {
      if (this.#mark() === this.#seen) return false;
      const before = this.#text;
      this.#read();
      this.#failure = '';
      if (this.#text === before) return false;
      log.info(`${this.file} has changed: using it from now on`);
      return true;
    } catch (error) {
      const failure = messageOf(error);
      if (failure !== this.#failure) log.warn(`${failure}: going on with what it held before`);
      this.#failure = failure;
      return false;
    }
  }

  #read(): void {
    try {
      // Before its content: one that changes in between is read again.
      const seen = this.#mark();
      const text = readFileSync(this.file, 'utf8').replace(/\r?\n$/, '');
      if (text === '') throw new Error('it is empty');
      this.#text = text;
      this.#seen = seen;
    } catch (cause) {
      throw new ConfigError(`${this.#option}: cannot read ${this.file}: ${messageOf(cause)}`, { cause });
    }
  }

  #mark(): string {
    const { ino, size, mtimeMs, ctimeMs } = statSync(this.file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  }
}
