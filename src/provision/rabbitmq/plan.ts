import { createHash } from 'node:crypto';
import type { Change, Field } from '../converge/change.ts';
import type { Difference } from '../converge/ensure.ts';
import type { Broker } from './broker.ts';
import type { Transport } from './transport-url.ts';

/** An account, as the management API returns it. */
interface QueueUser {
  readonly password_hash?: string;
  readonly hashing_algorithm?: string;
  readonly tags?: string | readonly string[];
}

/** The wanted objects that exist; undefined if missing. */
export interface QueueState {
  readonly vhost: object | undefined;
  readonly user: QueueUser | undefined;
  readonly permissions: Permissions | undefined;
}

export type Permissions = Readonly<Record<(typeof RIGHTS)[number], string>>;

const RIGHTS = ['configure', 'write', 'read'] as const;
/** Permissions on all names, since only the service knows the names of its queues. */
const ALL = '.*';

/** The differences, in the order in which they can be applied. */
export function planQueue(transport: Transport, state: QueueState): Difference<Broker>[] {
  const { vhost, user, password } = transport;
  const paths = pathsOf(transport);
  const putUser: Difference<Broker>['make'] = (broker, doing) =>
    broker.put(paths.user, { password, tags: tagsOf(state.user) }, doing);
  const fields = permissionFields(state.permissions);
  const vhosts: Difference<Broker> = {
    action: 'create',
    kind: 'virtual host',
    name: vhost,
    fields: [],
    make: (broker, doing) => broker.put(paths.vhost, {}, doing),
  };
  const permissions: Difference<Broker> = {
    action: state.permissions === undefined ? 'create' : 'update',
    kind: 'permissions of',
    name: `${user} in virtual host ${vhost}`,
    fields,
    make: (broker, doing) =>
      broker.put(paths.permissions, Object.fromEntries(RIGHTS.map((right) => [right, ALL])), doing),
  };
  return [
    ...(state.vhost === undefined ? [vhosts] : []),
    ...userChange(password, state.user).map((change) => ({ ...change, name: user, make: putUser })),
    ...(fields.length === 0 ? [] : [permissions]),
  ];
}

/** Paths of the management API. */
export function pathsOf(transport: Transport): { vhost: string; user: string; permissions: string } {
  const [vhost, user] = [encodeURIComponent(transport.vhost), encodeURIComponent(transport.user)];
  return { vhost: `/vhosts/${vhost}`, user: `/users/${user}`, permissions: `/permissions/${vhost}/${user}` };
}

function userChange(password: string, user: QueueUser | undefined): Omit<Change, 'name'>[] {
  const kind = 'queue user';
  if (user === undefined) return [{ action: 'create', kind, fields: [] }];
  const { password_hash: hash = '', hashing_algorithm: algorithm = '' } = user;
  // An account without a hash cannot log in with a password. A hash of an unknown kind cannot be compared.
  if (hash !== '' && isPassword(password, hash, algorithm) !== false) return [];
  const before = hash === '' ? 'none' : 'another';
  return [{ action: 'update', kind, fields: [{ name: 'password', before, after: "the transport URL's" }] }];
}

function permissionFields(found: Permissions | undefined): Field[] {
  return RIGHTS.flatMap((right): Field[] => {
    if (found === undefined) return [{ name: right, after: ALL }];
    return found[right] === ALL ? [] : [{ name: right, before: found[right], after: ALL }];
  });
}

/** The user's tags, comma-separated as in a PUT. RabbitMQ returns a list since 3.9, and text before. */
export function tagsOf(user: QueueUser | undefined): string {
  const tags = user?.tags ?? '';
  return typeof tags === 'string' ? tags : tags.join(',');
}

const SALT_BYTES = 4;
const ALGORITHMS: Readonly<Record<string, string>> = {
  rabbit_password_hashing_sha256: 'sha256',
  rabbit_password_hashing_sha512: 'sha512',
  rabbit_password_hashing_md5: 'md5',
};

/**
 * Whether a password matches a user's hash in RabbitMQ's format: base64 of the salt and the digest of salt and
 * password. Unlike a login, this never logs a failure in the broker.
 * @returns undefined if the hash is of an unknown kind
 */
export function isPassword(password: string, hash: string, algorithm: string): boolean | undefined {
  const name = ALGORITHMS[algorithm];
  if (name === undefined) return undefined;
  const bytes = Buffer.from(hash, 'base64');
  const [salt, digest] = [bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES)];
  return createHash(name).update(salt).update(password, 'utf8').digest().equals(digest);
}
