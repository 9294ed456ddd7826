import { fileURLToPath } from 'node:url';
import { planPod, type PodPlan, type PodPlanOptions } from '../../../src/config/volumes/index.ts';

/** One of the config.json files next to this one, in the shape that kolla-ansible gives them. */
export function fixture(service: string): string {
  return fileURLToPath(new URL(`fixtures/${service}.json`, import.meta.url));
}

/** Plans for a file, without an image unless the options name one. */
export function planOf(file: string, options: Partial<PodPlanOptions> = {}): Promise<PodPlan> {
  return planPod({
    configDir: '/nowhere',
    configFile: file,
    imageRoot: undefined,
    user: undefined,
    name: undefined,
    more: () => Promise.resolve([]),
    initArguments: [],
    environment: [],
    ...options,
  });
}
