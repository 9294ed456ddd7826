import { formatDuration } from '../../core/duration.ts';
import { codeOf, DeadlineError, messageOf, NotPermittedError, UnavailableError } from '../../core/errors.ts';
import { statusLine } from '../../cli/status-line.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { ApiError } from '../../kube/api-error.ts';
import { collectionPath, objectPath } from '../../kube/path.ts';
import { rolesFor, rolesYaml } from '../../kube/rbac.ts';
import { subjectOf, userIn } from '../../kube/role.ts';
import type { KubeClient, ObjectRef } from '../../kube/types.ts';
import type { KeyRepository } from '../../catalog/index.ts';
import type { Effects } from '../converge/effects.ts';
import { ConflictError } from '../converge/conflict.ts';
import type { Ring } from './ring.ts';
import { emptySecret, keysGrants, ringIn, secretRef, withRing, type SecretObject } from './secret.ts';

/** A Secret as it was read, with its ring. */
interface Found {
  readonly secret: SecretObject;
  readonly ring: Ring;
}

/** Connects to the API server on first use. */
type Connect = () => Promise<KubeClient>;

const ANSWER_MS = 10_000;
const BACKOFF = { minMs: 250, maxMs: 3000 };
/** Response statuses of requests that can never succeed. */
const HOPELESS = new Set([400, 405, 413, 415, 422]);

/** The Secret of one repository. It is written only if unchanged since it was read. */
export class KeyStore {
  readonly repository: KeyRepository;
  readonly #connect: Connect;
  readonly #effects: Effects;
  readonly #say: (text: string) => void;

  constructor(repository: KeyRepository, connect: Connect, effects: Effects) {
    this.repository = repository;
    this.#connect = connect;
    this.#effects = effects;
    this.#say = statusLine(effects.log);
  }

  /** The Secret's name in messages: `Secret openstack/keystone-fernet-keys`. */
  async place(): Promise<string> {
    const { namespace, name } = await this.#ref();
    return `Secret ${namespace}/${name}`;
  }

  /**
   * The current state; undefined if the Secret does not exist. Waits for an unavailable API server.
   * @throws ConfigError for an invalid key; DeadlineError; NotPermittedError with the Role to apply
   */
  async read(): Promise<Found | undefined> {
    const [client, ref] = [await this.#connect(), await this.#ref()];
    const { deadline, timeoutMs, signal, log } = this.#effects;
    let last = 'no response';
    let wasRefused = false;
    for (let attempt = 0; ; attempt++) {
      if (deadline.aborted) {
        throw new DeadlineError(
          `could not read ${await this.place()} within ${formatDuration(timeoutMs)}; last state of the ` +
            `API server at ${client.server}: ${last}`,
        );
      }
      try {
        const secret = await client.get<SecretObject>(objectPath(ref), { signal: this.#within() });
        if (attempt > 0) log.info('the API server is reachable again');
        return { secret, ring: ringIn(secret, await this.place()) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApiError && error.status === 404) return undefined;
        // An API server that has just started denies everything, so the request is retried once after another request
        // has succeeded.
        if (wasRefused || !isRefused(error)) this.#throwHopeless(error, ref);
        if (isRefused(error)) wasRefused = await this.#answers(client);
        else if (!(error instanceof ApiError) && !isOfNetwork(error)) throw error;
        // The error of our own timeout contains no useful message.
        if (deadline.aborted) continue;
        last = messageOf(error);
        if (!isRefused(error)) this.#say(`waiting for the API server at ${client.server}: ${last}`);
        const { retryAfterMs = 0 } = error instanceof ApiError ? error : {};
        const ms = retryAfterMs + backoffMs(attempt, BACKOFF);
        await pause(ms, AbortSignal.any([signal, deadline])).catch(() => signal.throwIfAborted());
      }
    }
  }

  /**
   * Replaces the version that was read, or creates the first one.
   * @throws ConflictError if another client was faster, or the outcome is unknown
   */
  async write(found: Found | undefined, ring: Ring): Promise<void> {
    const [client, ref] = [await this.#connect(), await this.#ref()];
    const object = withRing(found?.secret ?? emptySecret(ref), ring);
    const [method, path] =
      found === undefined ? ['POST' as const, collectionPath(ref)] : ['PUT' as const, objectPath(ref)];
    try {
      await client.request(method, path, object, { signal: this.#within() });
    } catch (error) {
      const { signal } = this.#effects;
      signal.throwIfAborted();
      if (method === 'POST' && error instanceof ApiError && error.status === 404)
        throw new UnavailableError(`cannot create ${await this.place()}: ${error.message}`, { cause: error });
      this.#throwHopeless(error, ref);
      if (!(error instanceof ApiError) && !isOfNetwork(error)) throw error;
      throw new ConflictError(
        new UnavailableError(`cannot write ${await this.place()}: ${messageOf(error)}`, { cause: error }),
      );
    }
  }

  async #ref(): Promise<ObjectRef> {
    const { namespace } = await this.#connect();
    return secretRef(namespace, this.repository.secret);
  }

  #within(): AbortSignal {
    return AbortSignal.any([this.#effects.signal, this.#effects.deadline, AbortSignal.timeout(ANSWER_MS)]);
  }

  async #answers(client: KubeClient): Promise<boolean> {
    try {
      await client.get('/version', { signal: this.#within() });
      return true;
    } catch {
      this.#effects.signal.throwIfAborted();
      return false;
    }
  }

  #throwHopeless(error: unknown, ref: ObjectRef): void {
    if (!(error instanceof ApiError)) return;
    const what = `Secret ${ref.namespace}/${ref.name}`;
    if (isRefused(error)) throw this.#notPermitted(error, ref);
    if (HOPELESS.has(error.status))
      throw new UnavailableError(`${what} can't be read or written: ${error.message}`, { cause: error });
  }

  #notPermitted(error: ApiError, { namespace }: ObjectRef): NotPermittedError {
    const subject = subjectOf(userIn(error.message));
    const role = `kolla-bootstrap-keys-${subject.name.replaceAll(':', '-')}`;
    const roles = rolesFor(keysGrants(namespace, [this.repository]), subject, { role, clusterRole: role });
    return new NotPermittedError(
      `${error.message}; to allow it, apply this with kubectl apply -f -:\n${rolesYaml(roles)}`,
      { cause: error },
    );
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** Whether there was no response: a system error or our own timeout. Anything else is a bug. */
function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return codeOf(error) !== undefined || ['AbortError', 'TimeoutError', 'SyntaxError', 'Error'].includes(error.name);
}
