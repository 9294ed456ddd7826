import { fileURLToPath } from 'node:url';
import { planPod, type PodPlan, type PodPlanOptions } from '../../../src/config/volumes/index.ts';

/** One of the config.json files in this directory, as kolla-ansible writes them. */
export function fixture(service: string): string {
  return fileURLToPath(new URL(`fixtures/${service}.json`, import.meta.url));
}

/** The plan for a file, by default without an image. */
export function planOf(file: string, options: Partial<PodPlanOptions> = {}): Promise<PodPlan> {
  return planPod({
    configDir: '/nowhere',
    configFile: file,
    imageRoot: undefined,
    user: undefined,
    name: undefined,
    more: () => [],
    initArguments: [],
    environment: [],
    ...options,
  });
}
