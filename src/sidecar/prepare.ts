import { UsageError } from '../core/errors.ts';
import { ROLE_NAMES, type RoleName } from './options/options.ts';
import type { Making, PreparedRole } from './components/component.ts';

/** Imports of the components, each called only if the component is enabled. */
const MAKERS: Readonly<Record<RoleName, () => Promise<(making: Making) => Promise<PreparedRole>>>> = {
  probe: async () => (await import('./components/probe.ts')).probeRole,
  'config-watch': async () => (await import('./components/config-watch.ts')).configWatchRole,
  waits: async () => (await import('./components/waits.ts')).waitsRole,
  'db-sync': async () => (await import('./components/db-sync.ts')).dbSyncRole,
  'log-ship': async () => (await import('./components/log-ship.ts')).logShipRole,
};

/**
 * The enabled components in the order of ROLE_NAMES. Nothing runs yet.
 * @throws UsageError or ConfigError for the first component with invalid options, sections or files
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
