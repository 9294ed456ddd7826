import { ConfigError, NotPermittedError, UnavailableError } from '../../../core/errors.ts';
import { isMapping } from '../../../core/mapping.ts';
import type { JsonAnswer } from '../../../net/json.ts';
import { Client } from '../../converge/client.ts';
import type { Effects } from '../../converge/effects.ts';
import { ConflictError } from '../../converge/conflict.ts';
import { isListOfObjects } from '../../converge/shape.ts';
import type { Access } from './access.ts';

/** Any Keystone object with an id. */
export interface Entity {
  readonly id: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly [key: string]: unknown;
}

/** The user of a token request. */
export interface Login {
  readonly name: string;
  /** The domain's ID: the default domain may have another name here. */
  readonly domain: string;
  readonly password: string;
}

const TOKENS = '/auth/tokens';
const NO_REASON = 'no reason given';

/** Client of Keystone's API v3 with these credentials. Keystone's errors become errors that say how to fix them. */
export class Keystone {
  readonly #client: Client;
  readonly #access: Access;
  #token: string | undefined;

  constructor(access: Access, effects: Effects) {
    this.#access = access;
    this.#client = new Client({ ...effects, name: 'Keystone', bases: [access.apiUrl], trust: access.trust });
    if ('token' in access.proof) this.#token = access.proof.token;
  }

  /** The list that a query such as `/users?name=glance` returns; `key` is its name in the response. */
  async list(path: string, key: string): Promise<Entity[]> {
    const doing = `read ${path}`;
    return this.#valueIn(await this.#send('GET', path, doing), key, isListOfObjects, doing) as Entity[];
  }

  /** The object at a path; undefined if it does not exist. */
  async find(path: string, key: string): Promise<Entity | undefined> {
    const doing = `read ${path}`;
    const answer = await this.#send('GET', path, doing);
    if (answer.status === 404 && saidIn(answer) !== undefined) return undefined;
    return this.#valueIn(answer, key, isEntity, doing);
  }

  /**
   * @returns the created object, with its id
   */
  async create(path: string, key: string, values: object, doing: string): Promise<Entity> {
    const answer = await this.#send('POST', path, doing, { [key]: values });
    return this.#valueIn(answer, key, isEntity, doing);
  }

  async update(path: string, key: string, values: object, doing: string): Promise<void> {
    this.#ok(await this.#send('PATCH', path, doing, { [key]: values }), doing);
  }

  async put(path: string, doing: string): Promise<void> {
    this.#ok(await this.#send('PUT', path, doing), doing);
  }

  /** A missing object counts as removed. */
  async remove(path: string, doing: string): Promise<void> {
    const answer = await this.#send('DELETE', path, doing);
    if (answer.status !== 404) this.#ok(answer, doing);
  }

  /** The ID of the user who is logged in. */
  async ownUserId(): Promise<string> {
    const doing = "read the token's user";
    const token = this.#valueIn(await this.#send('GET', TOKENS, doing), 'token', isMapping, doing);
    const user = token['user'];
    if (isEntity(user)) return user.id;
    throw new UnavailableError(`cannot ${doing}: Keystone returned no user`);
  }

  /**
   * Whether Keystone issues a token for this user: false only if Keystone itself returns 401. The token is unscoped and
   * not used.
   */
  async knows({ name, domain, password }: Login): Promise<boolean> {
    const identity = { methods: ['password'], password: { user: { name, domain: { id: domain }, password } } };
    const doing = `log in as user ${name}`;
    const answer = await this.#tokenFor({ identity, scope: 'unscoped' }, doing);
    if (answer.status === 401 && saidIn(answer) !== undefined) return false;
    this.#ok(answer, doing);
    return true;
  }

  async #send(method: string, path: string, doing: string, body?: object): Promise<JsonAnswer> {
    const { proof } = this.#access;
    for (let renewed = false; ; renewed = true) {
      const token = (this.#token ??= await this.#logIn());
      const headers = { 'x-auth-token': token, ...(path === TOKENS ? { 'x-subject-token': token } : {}) };
      const answer = await this.#client.send({ method, path, headers, body, doing });
      // After a 401, the token has expired or was revoked: log in once more.
      if (answer.status !== 401 || renewed || 'token' in proof) return answer;
      this.#token = undefined;
    }
  }

  async #logIn(): Promise<string> {
    const { proof, who, authUrl } = this.#access;
    const doing = `log in to Keystone as ${who}`;
    const answer = await this.#tokenFor('auth' in proof ? proof.auth : {}, doing);
    if (answer.status === 401) {
      throw new NotPermittedError(
        `Keystone at ${authUrl.href} rejects the login of ${who} (401): ${saidIn(answer) ?? NO_REASON}; ` +
          'check the name, its domain, the password and the project',
      );
    }
    if (answer.status === 404) {
      throw new ConfigError(`no Keystone at ${authUrl.href} (404): OS_AUTH_URL has the form http://keystone:5000/v3`);
    }
    this.#ok(answer, doing);
    const token = answer.headers.get('x-subject-token');
    if (token !== undefined) return token;
    throw new UnavailableError(`the server at ${authUrl.href} is not Keystone: it returned no token`);
  }

  /** Token requests may be repeated, since they leave no state. */
  async #tokenFor(auth: object, doing: string): Promise<JsonAnswer> {
    const { authUrl } = this.#access;
    const request = {
      method: 'POST',
      base: authUrl,
      path: `${TOKENS}?nocatalog`,
      body: { auth },
      doing,
      isRepeatable: true,
    };
    return await this.#client.send(request);
  }

  #ok(answer: JsonAnswer, doing: string): void {
    if (answer.status < 200 || answer.status >= 300) throw this.#refusal(answer, doing);
  }

  /**
   * A proxy's error page may have status 200. Treated as an empty list, it would cause all objects to be created again.
   */
  #valueIn<T>(answer: JsonAnswer, key: string, isWanted: (value: unknown) => value is T, doing: string): T {
    this.#ok(answer, doing);
    const value = isMapping(answer.body) ? answer.body[key] : undefined;
    if (isWanted(value)) return value;
    throw this.#stranger(answer, doing);
  }

  #stranger({ status }: JsonAnswer, doing: string): Error {
    return new UnavailableError(
      `cannot ${doing}: the server at ${this.#access.apiUrl.href}, which responds with ${status}, is not Keystone`,
    );
  }

  #refusal(answer: JsonAnswer, doing: string): Error {
    const { status, headers } = answer;
    const { who, apiUrl } = this.#access;
    const said = saidIn(answer);
    if (status >= 300 && status < 400) {
      return new ConfigError(
        `Keystone at ${apiUrl.href} redirects to ${headers.get('location') ?? 'nowhere'} (${status}): set ` +
          'OS_AUTH_URL to that',
      );
    }
    if (said === undefined) return this.#stranger(answer, doing);
    if (status === 401) return new NotPermittedError(`cannot ${doing}: Keystone rejects the token (401): ${said}`);
    if (status === 403) return new NotPermittedError(`${who} may not ${doing} (403): ${said}; it needs the role admin`);
    const final = new UnavailableError(`cannot ${doing}: Keystone answers ${status}: ${said}`);
    return status === 404 || status === 409 ? new ConflictError(final) : final;
  }
}

function isEntity(value: unknown): value is Entity {
  return isMapping(value) && typeof value['id'] === 'string';
}

/** Keystone's error message. Undefined if the response is not an error from Keystone. */
function saidIn({ body }: JsonAnswer): string | undefined {
  const { error } = (body ?? {}) as { error?: { message?: unknown } };
  return typeof error?.message === 'string' ? error.message.replaceAll(/\s+/g, ' ').replace(/\.$/, '') : undefined;
}
