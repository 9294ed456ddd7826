import { ConfigError } from '../../core/errors.ts';
import { formatDuration } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import type { Figure, KeyRepository } from '../../catalog/index.ts';
import type { ServiceConfig } from '../service-config.ts';
import type { RotationRules } from './ring.ts';

export interface GivenRules {
  readonly settle: number;
  readonly tokenLifetime: number | undefined;
  readonly maxActiveKeys: number | undefined;
}

/** The primary, the one before it, and the staged one. */
const FEWEST = 3;

/** What a rotation has to keep: by options, else by the service's own configuration, else as that would have it. */
export function rulesFor(
  { name, lifetime, keep }: KeyRepository,
  given: GivenRules,
  config: ServiceConfig,
  log: Log,
): RotationRules {
  const keys = given.maxActiveKeys ?? figure(keep, config);
  if (keys < FEWEST)
    log.warn(`${name}: ${keys} keys are too few for replicas that see a rotation late; ${FEWEST} are kept`);
  // What is encrypted anew needs no old key.
  const ofConfig = () => (lifetime ?? []).reduce((sum, each) => sum + figure(each, config), 0) * 1000;
  const lifetimeMs = (lifetime === undefined ? undefined : given.tokenLifetime) ?? ofConfig();
  if (lifetime !== undefined && given.tokenLifetime === undefined)
    log.debug(`${name}: a token is taken to live for ${formatDuration(lifetimeMs)}`);
  return { settleMs: given.settle, lifetimeMs, keep: Math.max(FEWEST, keys) };
}

function figure({ place, usual }: Figure, config: ServiceConfig): number {
  const text = config.valueAt(place);
  if (place === undefined) return usual;
  // With what Keystone would take of no file, keys might be dropped while tokens of them live.
  if (text === undefined && config.isHidden)
    throw new ConfigError(`${config.nameOf([place])}: let it be read, or give --token-lifetime and --max-active-keys`);
  if (text === undefined) return usual;
  if (!/^\d{1,9}$/.test(text.trim())) throw new ConfigError(`${config.nameOf([place])} is no whole number`);
  return Number(text);
}
