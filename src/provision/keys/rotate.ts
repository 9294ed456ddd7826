import { formatDuration } from '../../core/duration.ts';
import { ConfigError, DeadlineError } from '../../core/errors.ts';
import { isoTime } from '../../core/local-time.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import type { Log } from '../../core/log.ts';
import type { Figure, KeyRepository } from '../../catalog/index.ts';
import type { Effects } from '../converge/effects.ts';
import { ConflictError } from '../converge/conflict.ts';
import type { ServiceConfig } from '../converge/service-config.ts';
import { primaryOf, rotated, STAGED, type Ring, type Rotation, type RotationRules } from './ring.ts';
import { ringText } from './secret.ts';
import type { KeyStore } from './store.ts';

export interface GivenRules {
  readonly settle: number;
  readonly tokenLifetime: number | undefined;
  readonly maxActiveKeys: number | undefined;
}

/** Minimum number of keys: the primary, the previous one, and the staged one. */
const FEWEST = 3;

/** Rules of a rotation: from options, else from the service's configuration, else its defaults. */
export function rulesFor(
  { name, lifetime, keep }: KeyRepository,
  given: GivenRules,
  config: ServiceConfig,
  log: Log,
): RotationRules {
  const keys = given.maxActiveKeys ?? figure(keep, config);
  if (keys < FEWEST)
    log.warn(`${name}: ${keys} keys are too few for replicas that see a rotation late; ${FEWEST} are kept`);
  // Once data is re-encrypted, it needs no old key.
  const ofConfig = () => (lifetime ?? []).reduce((sum, each) => sum + figure(each, config), 0) * 1000;
  const lifetimeMs = (lifetime === undefined ? undefined : given.tokenLifetime) ?? ofConfig();
  if (lifetime !== undefined && given.tokenLifetime === undefined)
    log.debug(`${name}: assuming a token lifetime of ${formatDuration(lifetimeMs)}`);
  return { settleMs: given.settle, lifetimeMs, keep: Math.max(FEWEST, keys) };
}

function figure({ place, usual }: Figure, config: ServiceConfig): number {
  const text = config.valueAt(place);
  if (place === undefined) return usual;
  // With Keystone's defaults in place of a missing file, keys might be dropped whose tokens are still valid.
  if (text === undefined && config.isHidden)
    throw new ConfigError(`${config.nameOf([place])}: make it readable, or set --token-lifetime and --max-active-keys`);
  if (text === undefined) return usual;
  if (!/^\d{1,9}$/.test(text.trim())) throw new ConfigError(`${config.nameOf([place])} is not a whole number`);
  return Number(text);
}

/** Re-encrypts data of the ring's other keys with its primary key. */
export type Reencrypt = (ring: Ring) => Promise<void>;

const BACKOFF = { minMs: 100, maxMs: 3000 };

/**
 * Makes the staged key the primary. Concurrent runs, and runs within `settleMs`, rotate only once. Persistent data is
 * re-encrypted before the rotation, so that no dropped key is needed, and again after it. A run that is too early only
 * re-encrypts, since an interrupted run may not have done so.
 * @throws ConfigError without keys; the errors of KeyStore and `reencrypt`
 */
export async function rotateKeys(
  store: KeyStore,
  rules: RotationRules,
  reencrypt: Reencrypt | undefined,
  effects: Effects,
): Promise<void> {
  const first = await ringOf(store);
  await reencrypt?.(first);
  const outcome = await promote(store, primaryOf(first), rules, effects);
  if (outcome.isNew) await reencrypt?.(outcome.ring);
}

/** Rotates in a single write, which succeeds only if the Secret is still the version that was read. */
async function promote(
  store: KeyStore,
  before: number | undefined,
  rules: RotationRules,
  effects: Effects,
): Promise<{ readonly ring: Ring; readonly isNew: boolean }> {
  const { log, signal, deadline, timeoutMs } = effects;
  const place = await store.place();
  let tried: Exclude<Rotation, { kind: 'early' }> | undefined;
  for (let attempt = 0; ; attempt++) {
    const found = await store.read();
    if (found === undefined) throw noKeys(place);
    const { ring } = found;
    if (tried !== undefined && ring.keys.get(STAGED) === tried.ring.keys.get(STAGED)) {
      // The write succeeded, although its response was lost.
      tell(place, tried, log);
      return { ring, isNew: true };
    }
    if (primaryOf(ring) !== before) {
      log.info(`${place}: another run has rotated it meanwhile: ${ringText(ring)}`);
      return { ring, isNew: true };
    }
    const now = Date.now();
    const next = rotated(ring, rules, now);
    if (next.kind === 'early') {
      const ago = formatDuration(Math.max(0, now - ring.changedAt));
      log.info(
        `${place}: nothing to do: it was changed ${ago} ago, and replicas may lack its staged key until ` +
          `${isoTime(new Date(next.dueAt))} (--settle)`,
      );
      return { ring, isNew: false };
    }
    try {
      await store.write(found, next.ring);
      tell(place, next, log);
      return { ring: next.ring, isNew: true };
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      log.info(`${error.message}; reading again`);
      tried = next;
      if (deadline.aborted)
        throw new DeadlineError(`timed out after ${formatDuration(timeoutMs)}: ${error.message}`, { cause: error });
    }
    await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([signal, deadline])).catch(() => signal.throwIfAborted());
  }
}

/** Reads the keys. Throws ConfigError if there are none. */
async function ringOf(store: KeyStore): Promise<Ring> {
  const found = await store.read();
  if (found === undefined || found.ring.keys.size === 0) throw noKeys(await store.place());
  return found.ring;
}

function noKeys(place: string): ConfigError {
  return new ConfigError(`${place} contains no keys: create them with kolla-bootstrap keys create`);
}

function tell(place: string, { kind, ring, dropped, needed }: Exclude<Rotation, { kind: 'early' }>, log: Log): void {
  if (kind === 'staged') {
    log.warn(`${place}: it had no staged key: one is staged now, and the next rotation makes it the primary`);
    return;
  }
  const gone = dropped.length === 0 ? '' : `; dropped: ${dropped.join(', ')}`;
  log.info(`${place}: rotated: ${ringText(ring)}${gone}`);
  for (const [id, until] of needed)
    log.info(`${place}: key ${id} is kept: its tokens may be valid until ${isoTime(new Date(until))}`);
}
