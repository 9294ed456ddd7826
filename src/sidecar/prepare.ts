import { UsageError } from '../core/errors.ts';
import { COMPONENT_NAMES, type ComponentName } from './options/options.ts';
import type { Making, PreparedComponent } from './components/component.ts';

/** Imports of the components, each called only if the component is enabled. Throws if this binary does not have it. */
export type Makers = Readonly<Record<ComponentName, () => Promise<(making: Making) => Promise<PreparedComponent>>>>;

/**
 * The enabled components in the order of COMPONENT_NAMES. Nothing runs yet.
 * @throws UsageError or ConfigError for the first component with invalid options, sections or files
 */
export async function prepareComponents(making: Making, makers: Makers): Promise<PreparedComponent[]> {
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
  const names = COMPONENT_NAMES.filter((name) => asked.includes(name));
  const made = await Promise.all(names.map((name) => makers[name]()));
  const prepared: PreparedComponent[] = [];
  for (const make of made) prepared.push(await make(making));
  return prepared;
}
