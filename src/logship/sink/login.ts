import type { Log } from '../../core/log.ts';
import { WatchedFile } from './watched-file.ts';

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
