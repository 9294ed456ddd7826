import { FORMAT, formatProblem } from '../../core/format.ts';
import { ConfigError } from '../../core/errors.ts';
import { isoTime } from '../../core/local-time.ts';
import type { Grant, Verb } from '../../kube/rbac.ts';
import type { KubeObject, ObjectRef } from '../../kube/types.ts';
import type { KeyRepository } from '../../catalog/index.ts';
import { isKey, primaryOf, type Ring } from './ring.ts';

/** The fields of a Secret that are read here. Other fields are written back unchanged. */
export interface SecretObject extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly creationTimestamp?: string;
    readonly managedFields?: readonly { readonly time?: string; readonly fieldsV1?: object }[];
  };
  /** Values are base64-encoded. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Annotation `1=TIME 2=TIME`: when each key became the primary. */
export const PROMOTED = 'kolla-pod/promoted';
/** Annotation with the format of the ring. */
const KEYS_FORMAT = 'kolla-pod/format';

/** A key's file name, as the services expect it. */
export const KEY_NUMBER = /^(?:0|[1-9]\d{0,8})$/;

export function secretRef(namespace: string, name: string): ObjectRef {
  return { group: '', version: 'v1', resource: 'secrets', namespace, name };
}

/**
 * The ring in a Secret. Non-numeric and empty entries are ignored, as in the services.
 * @throws ConfigError, without the key, for an invalid one, or an unknown format
 */
export function ringIn(secret: SecretObject, place: string): Ring {
  const problem = formatProblem(secret.metadata.annotations?.[KEYS_FORMAT]);
  if (problem !== undefined) throw new ConfigError(`${place} ${problem}`);
  const keys = new Map<number, string>();
  for (const [name, encoded] of Object.entries(secret.data ?? {})) {
    const text = Buffer.from(encoded, 'base64').toString('latin1');
    if (!KEY_NUMBER.test(name) || text.trim() === '') continue;
    if (!isKey(text)) {
      throw new ConfigError(
        `${place}: entry ${name} is not a Fernet key (32 bytes in URL-safe base64): nothing is changed; ` +
          'replace it with a valid one, or delete the entry',
      );
    }
    keys.set(Number(name), text);
  }
  const promoted = promotedIn(secret);
  return { keys, promoted, changedAt: Math.max(changedAt(secret), ...promoted.values()) };
}

/** The Secret with this ring; other fields are unchanged. */
export function withRing(secret: SecretObject, ring: Ring): SecretObject {
  const others = Object.entries(secret.data ?? {}).filter(([name]) => !KEY_NUMBER.test(name));
  const keys = [...ring.keys].map(([id, key]) => [String(id), Buffer.from(key, 'latin1').toString('base64')]);
  const promoted = [...ring.promoted].map(([id, time]) => `${id}=${isoTime(new Date(time))}`).join(' ');
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: { ...secret.metadata.annotations, [PROMOTED]: promoted, [KEYS_FORMAT]: String(FORMAT) },
    },
    data: Object.fromEntries([...others, ...keys]),
  };
}

/** A Secret to be created. */
export function emptySecret({ namespace, name }: ObjectRef): SecretObject {
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace } } as SecretObject;
}

/** Key numbers for messages: `0 (staged), 1, 2 (primary)`. */
export function ringText(ring: Ring): string {
  const primary = primaryOf(ring);
  const ids = [...ring.keys.keys()].toSorted((a, b) => a - b);
  return ids.map((id) => `${id}${id === primary ? ' (primary)' : id === 0 ? ' (staged)' : ''}`).join(', ');
}

function promotedIn({ metadata: { annotations = {} } }: SecretObject): Map<number, number> {
  const words = (annotations[PROMOTED] ?? '').split(' ').map((word) => word.split('='));
  const times = words.map(
    ([id = '', time = '']) => [KEY_NUMBER.test(id) ? Number(id) : NaN, Date.parse(time)] as const,
  );
  return new Map(times.filter(([id, time]) => !Number.isNaN(id) && !Number.isNaN(time)));
}

/** Last change of the entries, from the API server's managedFields. Changes to labels don't count. */
function changedAt({ metadata: { creationTimestamp = '', managedFields = [] } }: SecretObject): number {
  const notes = managedFields.filter(({ fieldsV1 = {} }) => Object.hasOwn(fieldsV1, 'f:data'));
  const times = [creationTimestamp, ...notes.map(({ time = '' }) => time)].map((time) => Date.parse(time));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

/** The verbs needed on these Secrets. RBAC cannot restrict `create` to a name. */
const SECRET_VERBS = ['get', 'update'] as const satisfies readonly Verb[];

/** The minimal permissions for creating and rotating: no other Secret can be read. */
export function keysGrants(namespace: string, repositories: readonly KeyRepository[]): Grant[] {
  if (repositories.length === 0) return [];
  const names = repositories.map(({ secret }) => secret);
  return [
    { namespace, rule: { group: '', resource: 'secrets', names, verbs: SECRET_VERBS } },
    { namespace, rule: { group: '', resource: 'secrets', verbs: ['create'] } },
  ];
}
