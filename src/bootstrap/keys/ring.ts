import { createHash, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A key of Fernet's specification: 256 random bits, base64 as URLs have it. */
export function newKey(): string {
  return `${randomBytes(KEY_BYTES).toString('base64url')}=`;
}

/** Whether the services' Fernet takes it: as a file it may end with a line break. */
export function isKey(text: string): boolean {
  return /^[\w+/-]{43}=\s*$/.test(text);
}

/** What tells keys apart without telling what they are: for people. */
export function fingerprint(key: string): string {
  return createHash('sha256').update(key.trim()).digest('hex').slice(0, 8);
}

/** The number of the key that is next to encrypt. */
export const STAGED = 0;

/** The keys of a repository, as its replicas get them. */
export interface Ring {
  readonly keys: ReadonlyMap<number, string>;
  /** When a key became the primary, as far as that was recorded; milliseconds of the epoch, as all times here. */
  readonly promoted: ReadonlyMap<number, number>;
  /** When it was last changed, by whomever. */
  readonly changedAt: number;
}

/** What is asked of a rotation. */
export interface RotationRules {
  /** How long a replica may go on without the last change. */
  readonly settleMs: number;
  /** How long what a key has encrypted may be shown afterwards. */
  readonly lifetimeMs: number;
  /** How many keys are left, if none is needed for longer. */
  readonly keep: number;
}

export type Rotation =
  | { readonly kind: 'early'; readonly dueAt: number }
  | {
      readonly kind: 'rotated' | 'staged';
      readonly ring: Ring;
      readonly dropped: readonly number[];
      /** Kept beyond `keep`, with the time until which each is needed. */
      readonly needed: ReadonlyMap<number, number>;
    };

/** Two keys: one encrypts, one is staged. */
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

/** The key that encrypts. Undefined without any. */
export function primaryOf({ keys }: Ring): number | undefined {
  return keys.size === 0 ? undefined : Math.max(...keys.keys());
}

/** From when on every replica surely has the last change. */
export function dueAt({ changedAt }: Ring, { settleMs }: Pick<RotationRules, 'settleMs'>): number {
  return changedAt + settleMs;
}

/**
 * The ring after a rotation: the staged key is the primary under the next number, and a new one is staged. Without a staged key one
 * is staged and nothing else, since no replica would know the new primary. `early` while a replica may not have the
 * staged key yet.
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
  // Of older ones without a record it was before the last change.
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
