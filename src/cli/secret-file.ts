import { readFileSync, statSync } from 'node:fs';
import { ConfigError, reasonOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

/**
 * Reads a secret from a file, without a trailing line break.
 * @param option name of the option that gave the file, for messages
 * @throws ConfigError if the file is unreadable or empty; the message never contains the file's content
 */
export function readSecretFile(file: string, option: string): string {
  try {
    return secretIn(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw unreadable(file, option, cause);
  }
}

function secretIn(text: string): string {
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new Error('it is empty');
  return secret;
}

function unreadable(file: string, option: string, cause: unknown): ConfigError {
  return new ConfigError(`cannot read ${file}, given by ${option}: ${reasonOf(cause)}`, { cause });
}

/** A secret or certificate that is reloaded when its file changes: a mounted Secret may be renewed during the Pod's life. */
export class WatchedFile {
  readonly file: string;
  readonly #option: string;
  #seen = '';
  #text = '';
  #failure = '';

  /**
   * @param option that named it, for messages
   * @throws ConfigError as readSecretFile()
   */
  constructor(file: string, option: string) {
    this.file = file;
    this.#option = option;
    this.#read();
  }

  /** The content without a trailing line break. */
  get text(): string {
    return this.#text;
  }

  /**
   * Reloads the file if needed. If it is unreadable, the last content is kept and a warning is logged once. Returns
   * whether the content has changed.
   */
  refresh(log: Log): boolean {
    try {
      if (this.#mark() === this.#seen) return false;
      const before = this.#text;
      this.#read();
      this.#failure = '';
      if (this.#text === before) return false;
      log.info(`${this.file} has changed: reloaded`);
      return true;
    } catch (error) {
      const { message } = error instanceof ConfigError ? error : unreadable(this.file, this.#option, error);
      if (message !== this.#failure) log.warn(`${message}: keeping the previous one`);
      this.#failure = message;
      return false;
    }
  }

  #read(): void {
    try {
      // Taken before the content is read, so that a change in between causes another reload.
      const seen = this.#mark();
      this.#text = secretIn(readFileSync(this.file, 'utf8'));
      this.#seen = seen;
    } catch (cause) {
      throw unreadable(this.file, this.#option, cause);
    }
  }

  #mark(): string {
    const { ino, size, mtimeMs, ctimeMs } = statSync(this.file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  }
}
