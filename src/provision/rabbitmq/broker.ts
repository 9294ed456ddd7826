import { NotPermittedError, UnavailableError } from '../../core/errors.ts';
import type { Trust } from '../../cli/tls-option.ts';
import type { JsonAnswer } from '../../net/json.ts';
import { Client } from '../converge/client.ts';
import type { Effects } from '../converge/effects.ts';
import { ConflictError } from '../converge/conflict.ts';
import { isMapping } from '../../core/mapping.ts';
import { isListOfObjects } from '../converge/shape.ts';

export interface BrokerOptions {
  /** The management API's URLs, one per node of the cluster. */
  readonly urls: readonly [URL, ...URL[]];
  readonly trust: Trust;
  readonly adminUser: string;
  readonly adminPassword: string;
}

/** Client of RabbitMQ's management API with an administrator's credentials. The password is sent in a header. */
export class Broker {
  readonly #client: Client;
  readonly #adminUser: string;
  readonly #authorization: string;

  constructor({ urls, trust, adminUser, adminPassword }: BrokerOptions, effects: Effects) {
    this.#client = new Client({ ...effects, name: 'RabbitMQ', bases: urls, trust });
    this.#adminUser = adminUser;
    this.#authorization = `Basic ${Buffer.from(`${adminUser}:${adminPassword}`).toString('base64')}`;
  }

  /** The object at a path; undefined after a 404. */
  async find(path: string): Promise<Record<string, unknown> | undefined> {
    return await this.#read(path, isMapping);
  }

  /** The list at a path; empty after a 404. */
  async list(path: string): Promise<Record<string, unknown>[]> {
    return (await this.#read(path, isListOfObjects)) ?? [];
  }

  /** A missing object counts as removed. */
  async remove(path: string, doing: string): Promise<void> {
    await this.#send('DELETE', path, doing);
  }

  /**
   * Creates or updates the object. A PUT may be repeated.
   * @throws ConflictError for a conflict with another run
   */
  async put(path: string, body: object, doing: string): Promise<void> {
    await this.#send('PUT', path, doing, body);
  }

  /** Rejects a response that is not RabbitMQ's: another server may listen on the port. */
  async #read<T>(path: string, isWanted: (value: unknown) => value is T): Promise<T | undefined> {
    const doing = `read ${path}`;
    const answer = await this.#send('GET', path, doing);
    if (answer.status === 404) return undefined;
    if (isWanted(answer.body)) return answer.body;
    throw refusal(answer, doing, this.#adminUser);
  }

  async #send(method: string, path: string, doing: string, body?: object): Promise<JsonAnswer> {
    // Some of RabbitMQ's resources, such as a feature flag's, answer JSON alone with 406.
    const headers = { authorization: this.#authorization, accept: 'application/json, */*;q=0.1' };
    const answer = await this.#client.send({ method, path: `/api${path}`, headers, body, doing });
    const { status } = answer;
    if (status === 404 && method !== 'PUT') return answer;
    if (isOk(status)) return answer;
    const final = refusal(answer, doing, this.#adminUser);
    // RabbitMQ's answer if another run creates the same object at the same moment.
    throw status === 400 && method === 'PUT' && final instanceof UnavailableError ? new ConflictError(final) : final;
  }
}

function refusal({ status, body }: JsonAnswer, doing: string, user: string): Error {
  const { reason } = (body ?? {}) as { reason?: unknown };
  const said = typeof reason === 'string' ? `: ${reason}` : '';
  if (status === 401) {
    return new NotPermittedError(
      `RabbitMQ's management API rejects the login of user ${user} (401)${said}: wrong password, or no ` +
        'tag administrator',
    );
  }
  if (status === 403)
    return new NotPermittedError(
      `RabbitMQ's user ${user} may not ${doing} (403)${said}: it needs the tag administrator`,
    );
  const hint = body === undefined || isOk(status) ? "; is that its management API's port?" : '';
  return new UnavailableError(`cannot ${doing}: RabbitMQ answers ${status}${said}${hint}`);
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}
