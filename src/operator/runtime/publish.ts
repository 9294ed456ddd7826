import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { firstBytes } from '../../cli/first-bytes.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ApiError } from '../../kube/api-error.ts';
import { collectionPath, objectPath } from '../../kube/path.ts';
import type { KubeClient } from '../../kube/types.ts';
import { GROUP, MANAGER, VERSION, ownRef, type Kind, type OwnObject as Own } from '../api/objects.ts';

/** The API server's limit for an Event. */
const NOTE_MAX_BYTES = 1024;

/** Writes the status of our objects, only if it has changed, and Events about them. */
export class Publisher {
  readonly #client: KubeClient;
  readonly #log: Log;
  readonly #instance: string;
  /** What was written last, by uid, until the caches have it. */
  readonly #written = new Map<string, object>();

  /** @param instance the name of this process, in Events */
  constructor(client: KubeClient, instance: string, log: Log) {
    this.#client = client;
    this.#instance = instance;
    this.#log = log;
  }

  /** The newest known status. We are its only writer. */
  statusOf<S extends object>(object: {
    readonly metadata: Own['metadata'];
    readonly status?: S | undefined;
  }): S | undefined {
    const { uid } = object.metadata;
    const written = this.#written.get(uid) as S | undefined;
    if (written === undefined) return object.status;
    if (isDeepStrictEqual(plain(written), plain(object.status))) this.#written.delete(uid);
    return written;
  }

  /** @returns whether the object still exists */
  async write(kind: Kind, object: Own, status: NonNullable<Own['status']>, signal: AbortSignal): Promise<boolean> {
    const { namespace, name, uid } = object.metadata;
    if (isDeepStrictEqual(plain(this.statusOf<object>(object)), plain(status))) return true;
    // The uid: an object that was re-created meanwhile must not get the status of the deleted one.
    const body = { apiVersion: `${GROUP}/${VERSION}`, kind, metadata: { name, namespace, uid }, status };
    try {
      const path = `${objectPath(ownRef(kind, namespace, name))}/status`;
      await this.#client.apply(path, body, { signal, manager: MANAGER });
      this.#written.set(uid, status);
      return true;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return false;
      throw error;
    }
  }

  /** Creates an Event. Failures are only logged: an Event decides nothing. */
  async event(
    kind: Kind,
    { metadata: { namespace, name, uid } }: Own,
    type: 'Normal' | 'Warning',
    reason: string,
    note: string,
    signal: AbortSignal,
  ): Promise<void> {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name: `${name}.${randomBytes(8).toString('hex')}` },
      eventTime: new Date().toISOString().replace('Z', '000Z'),
      type,
      reason,
      action: 'Reconcile',
      note: firstBytes(note, NOTE_MAX_BYTES),
      regarding: { apiVersion: `${GROUP}/${VERSION}`, kind, namespace, name, uid },
      reportingController: `${GROUP}/${MANAGER}`,
      reportingInstance: this.#instance,
    };
    try {
      const path = collectionPath({ group: 'events.k8s.io', version: 'v1', resource: 'events', namespace });
      await this.#client.request('POST', path, event, { signal });
    } catch (error) {
      signal.throwIfAborted();
      this.#log.warn(`no Event ${reason} for ${kind} ${namespace}/${name}: ${messageOf(error)}`);
    }
  }
}

/** Without undefined properties, which are not written. */
function plain(status: unknown): unknown {
  return status === undefined ? undefined : JSON.parse(JSON.stringify(status));
}
