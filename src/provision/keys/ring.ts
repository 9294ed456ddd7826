import { createHash, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A key by Fernet's specification: 256 random bits in URL-safe base64. */
export function newKey(): string {
  return `${randomBytes(KEY_BYTES).toString('base64url')}=`;
}

/** Whether the services' Fernet implementation accepts the key; a file may end with a line break. */
export function isKey(text: string): boolean {
  return /^[\w+/-]{43}=\s*$/.test(text);
}

/** Identifies a key for users without revealing it. */
export function fingerprint(key: string): string {
  return createHash('sha256').update(key.trim()).digest('hex').slice(0, 8);
}

/** The number of the staged key, which becomes the next primary key. */
export const STAGED = 0;

/** The keys of a repository, as seen by its replicas. */
export interface Ring {
  readonly keys: ReadonlyMap<number, string>;
  /** When each key became the primary, if recorded. All times here are in milliseconds since the epoch. */
  readonly promoted: ReadonlyMap<number, number>;
  /** When any client last changed the ring. */
  readonly changedAt: number;
}

/** Rules of a rotation. */
export interface RotationRules {
  /** How long a replica may take to receive the last change. */
  readonly settleMs: number;
  /** How long data encrypted with a key may remain in use. */
  readonly lifetimeMs: number;
  /** Number of keys to keep, unless more are still needed. */
  readonly keep: number;
}

export type Rotation =
  | { readonly kind: 'early'; readonly dueAt: number }
  | {
      readonly kind: 'rotated' | 'staged';
      readonly ring: Ring;
      readonly dropped: readonly number[];
      /** Keys kept beyond `keep`, with the time until which each is needed. */
      readonly needed: ReadonlyMap<number, number>;
    };

/** A new ring: a primary key and a staged one. */
export function newRing(now: number): Ring {
  return {
    keys: new Map([
      [STAGED, newKey()],
      [1, newKey()],
    ]),
    promoted: new Map([[1, now]]),
    changedAt: now,
  };
}

/** The number of the primary key, which encrypts new data. Undefined if there are no keys. */
export function primaryOf({ keys }: Ring): number | undefined {
  return keys.size === 0 ? undefined : Math.max(...keys.keys());
}

/** The time at which every replica has received the last change. */
export function dueAt({ changedAt }: Ring, { settleMs }: Pick<RotationRules, 'settleMs'>): number {
  return changedAt + settleMs;
}

/**
 * The ring after a rotation: the staged key becomes the primary under the next number, and a new one is staged. If no
 * key is staged, it only stages one, since no replica would know a new primary. `early` while a replica may not have
 * the staged key yet.
 */
export function rotated(ring: Ring, rules: RotationRules, now: number): Rotation {
  const due = dueAt(ring, rules);
  const primary = primaryOf(ring);
  if (now < due) return { kind: 'early', dueAt: due };
  const staged = ring.keys.get(STAGED);
  const keys = new Map(ring.keys);
  keys.set(STAGED, newKey());
  if (staged === undefined || primary === undefined) {
    return { kind: 'staged', ring: { ...ring, keys, changedAt: now }, dropped: [], needed: new Map() };
  }
  const next = primary + 1;
  keys.set(next, staged);
  // Keys without a record became primary before the last change.
  const times = [...ring.keys.keys()].filter((id) => id !== STAGED).map((id) => [id, promotedAt(ring, id)] as const);
  const promoted = new Map([...times, [next, now]]);
  const dropped: number[] = [];
  const needed = new Map<number, number>();
  const olds = [...keys.keys()].filter((id) => id !== STAGED && id !== next).toSorted((a, b) => a - b);
  for (const [at, id] of olds.entries()) {
    if (olds.length + 2 - at <= rules.keep) break;
    const ended = promoted.get(olds[at + 1] ?? next) ?? now;
    const until = ended + rules.settleMs + rules.lifetimeMs;
    if (until > now) needed.set(id, until);
    else dropped.push(id);
  }
  for (const id of dropped) {
    keys.delete(id);
    promoted.delete(id);
  }
  return { kind: 'rotated', ring: { keys, promoted, changedAt: now }, dropped, needed };
}

function promotedAt({ promoted, changedAt }: Ring, id: number): number {
  return promoted.get(id) ?? changedAt;
}
