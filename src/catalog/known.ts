import type { PodFile } from '../cli/file.ts';
import { SERVICES, type Service } from './index.ts';

/** The first words of kolla-db-sync and kolla-bootstrap that are commands: no service can be reached under such a name. */
const COMMANDS = ['status', 'ensure', 'rbac', 'plan', 'delete', 'keys'];

/**
 * Every service that can be named: those of kolla-pod.yaml first, and of the built-in ones all that it does not
 * describe itself. ConfigError for a section that is wrong.
 */
export async function knownServices(podFile: PodFile | undefined): Promise<readonly Service[]> {
  const section = podFile?.sectionOf('services');
  if (podFile === undefined || section === undefined) return SERVICES;
  // Lazy: most runs have no services of their own, and need no schema.
  const { ownServices } = await import('./own.ts');
  const own = ownServices(podFile.file, section, COMMANDS);
  return [...own, ...SERVICES.filter(({ name }) => own.every((one) => one.name !== name))];
}
