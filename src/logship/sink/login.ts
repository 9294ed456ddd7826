import { WatchedFile } from '../../cli/secret-file.ts';
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
