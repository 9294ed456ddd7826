import type { Context } from '../cli/command.ts';
import { UsageError } from '../core/errors.ts';
import type { Values } from '../cli/option.ts';
import type { Family } from '../net/prometheus.ts';
import type { Part } from '../probe/serve/index.ts';
import type { SIDECAR_OPTIONS } from './options.ts';
import { ROLE_NAMES, type Role, type RoleName } from './role.ts';
import type { Sources } from './status/look.ts';

export type SidecarOptions = Values<typeof SIDECAR_OPTIONS>;

/** What a role is made of. */
export interface Making {
  readonly options: SidecarOptions;
  readonly context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile' | 'stdout'>;
}

/** A role whose options and files make sense, and what it tells about itself. */
export interface PreparedRole {
  readonly role: Role;
  readonly sources: Partial<Sources>;
  /** What it says to probes beside its state; asked at each request. */
  readonly parts?: () => readonly Part[];
  /** What it shows to Prometheus. */
  readonly families?: () => readonly Family[];
  /** Needs more than its options to begin: throws a ConfigError where it must not. */
  readonly requireSafe?: (at: SafeAt) => Promise<void>;
}

export interface SafeAt {
  readonly port: number;
  /** Whether a check decides startup probes too. */
  readonly hasStartupChecks: boolean;
  /** How long the roles that are stopped after this one may take, in milliseconds. */
  readonly laterStopMs: number;
}

/** Each loads what it stands on only when it is asked for. */
const MAKERS: Readonly<Record<RoleName, () => Promise<(making: Making) => Promise<PreparedRole>>>> = {
  probe: async () => (await import('./roles/probe.ts')).probeRole,
  'config-watch': async () => (await import('./roles/config-watch.ts')).configWatchRole,
  waits: async () => (await import('./roles/waits.ts')).waitsRole,
  'db-sync': async () => (await import('./roles/db-sync.ts')).dbSyncRole,
  'log-ship': async () => (await import('./roles/log-ship.ts')).logShipRole,
};

/**
 * The roles that were asked for, in the order of ROLE_NAMES. Nothing runs yet.
 * @throws UsageError or ConfigError for the first whose options, sections or files are wrong
 */
export async function prepareRoles(making: Making): Promise<PreparedRole[]> {
  const { role: asked, service, logPath } = making.options;
  if (asked.length === 0)
    throw new UsageError(`no role: give --role, or sidecar.role in kolla-pod.yaml; there is ${ROLE_NAMES.join(', ')}`);
  if (service !== undefined && !asked.includes('db-sync'))
    throw new UsageError('--service is for the role db-sync, which is not asked for');
  if (logPath.length > 0 && !asked.includes('log-ship'))
    throw new UsageError('--log-path is for the role log-ship, which is not asked for');
  const prepared: PreparedRole[] = [];
  for (const name of ROLE_NAMES) {
    if (!asked.includes(name)) continue;
    const make = await MAKERS[name]();
    prepared.push(await make(making));
  }
  return prepared;
}
