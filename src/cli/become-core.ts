import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { execve } from 'node:process';
import { reasonOf, UnavailableError } from '../core/errors.ts';
import type { HelperModule } from './dispatch.ts';

/**
 * `main` of a name that only kolla-core has: executes the kolla-core next to kolla-pod.
 * @throws UnavailableError if there is none
 */
export function becomeCore(name: string): HelperModule['main'] {
  return (argv, env) => {
    const core = join(dirname(process.execPath), 'kolla-core');
    try {
      accessSync(core, constants.X_OK);
    } catch (error) {
      // A failing execve would abort Node.
      throw new UnavailableError(`${name} needs kolla-core next to kolla-pod: ${core}: ${reasonOf(error)}`);
    }
    return execve!(core, [name, ...argv], env);
  };
}
