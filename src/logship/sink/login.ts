import { readFileSync, statSync } from 'node:fs';
import { ConfigError, messageOf, reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** Credentials for a server. Their files are reloaded when they change. */
export type LoginOptions =
  | { readonly user: string; readonly password: string }
  | { readonly user: string; readonly passwordFile: string }
  | { readonly apiKey: string }
  | { readonly apiKeyFile: string };

/** The Authorization header, and where its value comes from. */
export class Login {
  readonly #header: (secret: string) => string;
  readonly #file: WatchedFile | undefined;
  readonly #secret: string;

  /**
   * @throws ConfigError if a file is unreadable
   */
  constructor(options: LoginOptions) {
    this.#header = 'user' in options ? (secret) => basic(options.user, secret) : apiKey;
    this.#secret = 'password' in options ? options.password : 'apiKey' in options ? options.apiKey : '';
    if ('passwordFile' in options) this.#file = new WatchedFile(options.passwordFile, '--password-file');
    if ('apiKeyFile' in options) this.#file = new WatchedFile(options.apiKeyFile, '--api-key-file');
  }

  /** The header with the current content of the file. */
  authorization(log: Log): string {
    this.#file?.refresh(log);
    return this.#header(this.#file?.text ?? this.#secret);
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Elasticsearch shows a key in two forms: `id:key`, and base64-encoded. */
function apiKey(key: string): string {
  return `ApiKey ${key.includes(':') ? Buffer.from(key).toString('base64') : key}`;
}

/** A file that is reloaded when it changes: a mounted Secret may be renewed during the Pod's life. */
export class WatchedFile {
  readonly file: string;
  readonly #option: string;
  #seen = '';
  #text = '';
  #failure = '';

  /**
   * @param option that named it, for messages
   * @throws ConfigError if the file is unreadable or empty; never with its content
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
      const failure = messageOf(error);
      if (failure !== this.#failure) log.warn(`${failure}: keeping the previous one`);
      this.#failure = failure;
      return false;
    }
  }

  #read(): void {
    try {
      // Taken before the content is read, so that a change in between causes another reload.
      const seen = this.#mark();
      const text = readFileSync(this.file, 'utf8').replace(/\r?\n$/, '');
      if (text === '') throw new Error('it is empty');
      this.#text = text;
      this.#seen = seen;
    } catch (cause) {
      throw new ConfigError(`${this.#option}: cannot read ${this.file}: ${reasonOf(cause)}`, { cause });
    }
  }

  #mark(): string {
    const { ino, size, mtimeMs, ctimeMs } = statSync(this.file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  }
}
