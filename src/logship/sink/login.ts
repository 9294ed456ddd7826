import { readFileSync, statSync } from 'node:fs';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** Who we are to a server. Files are read again when they change. */
export type LoginOptions =
  | { readonly user: string; readonly password: string }
  | { readonly user: string; readonly passwordFile: string }
  | { readonly apiKey: string }
  | { readonly apiKeyFile: string };

/** The Authorization header, and how it came about. */
export class Login {
  readonly #header: (secret: string) => string;
  readonly #file: WatchedFile | undefined;
  readonly #secret: string;

  /** @throws ConfigError for a file that can't be read */
  constructor(options: LoginOptions) {
    this.#header = 'user' in options ? (secret) => basic(options.user, secret) : apiKey;
    this.#secret = 'password' in options ? options.password : 'apiKey' in options ? options.apiKey : '';
    if ('passwordFile' in options) this.#file = new WatchedFile(options.passwordFile, '--password-file');
    if ('apiKeyFile' in options) this.#file = new WatchedFile(options.apiKeyFile, '--api-key-file');
  }

  /** As it stands in the file now. */
  authorization(log: Log): string {
    this.#file?.refresh(log);
    return this.#header(this.#file?.text ?? this.#secret);
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Elasticsearch shows a key in two spellings: `id:key`, and the same encoded. */
function apiKey(key: string): string {
  return `ApiKey ${key.includes(':') ? Buffer.from(key).toString('base64') : key}`;
}

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
