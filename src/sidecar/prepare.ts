import { UsageError } from '../core/errors.ts';
import { COMPONENT_NAMES, type ComponentName } from './options/options.ts';
import type { Making, PreparedComponent } from './components/component.ts';

/** Imports of the components, each called only if the component is enabled. */
const MAKERS: Readonly<Record<ComponentName, () => Promise<(making: Making) => Promise<PreparedComponent>>>> = {
  probe: async () => (await import('./components/probe.ts')).prepareProbe,
  'config-watch': async () => (await import('./components/config-watch.ts')).prepareConfigWatch,
  waits: async () => (await import('./components/waits.ts')).prepareWaits,
  'db-sync': async () => (await import('./components/db-sync.ts')).prepareDbSync,
  'log-ship': async () => (await import('./components/log-ship.ts')).prepareLogShip,
};

/**
 * The enabled components in the order of COMPONENT_NAMES. Nothing runs yet.
 * @throws UsageError or ConfigError for the first component with invalid options, sections or files
 */
export async function prepareComponents(making: Making): Promise<PreparedComponent[]> {
  const { component, role, service, logPath } = making.options;
  const asked = component.length > 0 ? component : role;
  if (asked.length === 0)
    throw new UsageError(
      `no component: give --component, or sidecar.component in kolla-pod.yaml; there is ${COMPONENT_NAMES.join(', ')}`,
    );
  if (service !== undefined && !asked.includes('db-sync'))
    throw new UsageError('--service is for the component db-sync, which is not asked for');
  if (logPath.length > 0 && !asked.includes('log-ship'))
    throw new UsageError('--log-path is for the component log-ship, which is not asked for');
  const prepared: PreparedComponent[] = [];
  for (const name of COMPONENT_NAMES) {
    if (!asked.includes(name)) continue;
    const make = await MAKERS[name]();
    prepared.push(await make(making));
  }
  return prepared;
}
