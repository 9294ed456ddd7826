import type { Change, Field } from '../change.ts';
import { isPassword } from './password-hash.ts';
import type { Transport } from './transport-url.ts';

/** An account as the management API has it. */
export interface QueueUser {
  readonly password_hash?: string;
  readonly hashing_algorithm?: string;
  readonly tags?: string | readonly string[];
}

/** What the broker has of what is wanted; undefined for what it has not. */
export interface QueueState {
  readonly vhost: object | undefined;
  readonly user: QueueUser | undefined;
  readonly permissions: Permissions | undefined;
}

export type Permissions = Readonly<Record<(typeof RIGHTS)[number], string>>;

export const RIGHTS = ['configure', 'write', 'read'] as const;
/** A service makes queues of names that only it knows. */
export const ALL = '.*';

export type QueueChange = Change & { readonly does: 'vhost' | 'user' | 'permissions' };

/** What differs, in the order in which it can be ended. */
export function planQueue({ vhost, user, password }: Transport, state: QueueState): QueueChange[] {
  const made = (kind: string, name: string, does: QueueChange['does']): QueueChange => {
    return { action: 'create', kind, name, fields: [], does };
  };
  return [
    ...(state.vhost === undefined ? [made('virtual host', vhost, 'vhost')] : []),
    ...(state.user === undefined ? [made('queue user', user, 'user')] : passwordOf(user, password, state.user)),
    ...permissionsOf(`${user} in virtual host ${vhost}`, state.permissions),
  ];
}

function passwordOf(name: string, password: string, user: QueueUser): QueueChange[] {
  const { password_hash: hash = '', hashing_algorithm: algorithm = '' } = user;
  // One that has no hash can't log in with a password at all. Of a kind that we don't know, we can't say that it is wrong.
  if (hash !== '' && isPassword(password, hash, algorithm) !== false) return [];
  const before = hash === '' ? 'none' : 'another';
  const fields = [{ name: 'password', before, after: "the transport URL's" }];
  return [{ action: 'update', kind: 'queue user', name, fields, does: 'user' }];
}

function permissionsOf(name: string, found: Permissions | undefined): QueueChange[] {
  const fields = RIGHTS.flatMap((right): Field[] => {
    if (found === undefined) return [{ name: right, after: ALL }];
    return found[right] === ALL ? [] : [{ name: right, before: found[right], after: ALL }];
  });
  if (fields.length === 0) return [];
  const action = found === undefined ? 'create' : 'update';
  return [{ action, kind: 'permissions of', name, fields, does: 'permissions' }];
}

/** With commas between, as a PUT takes them: a list since 3.9, one text before. */
export function tagsOf(user: QueueUser | undefined): string {
  const tags = user?.tags ?? '';
  return typeof tags === 'string' ? tags : tags.join(',');
}
