import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { must } from '../../tools/process.ts';
import { pythonOf } from './keystone-tree.ts';

/** Debian's libc would conflict with the machine's dynamic loader, which must be of the same build. */
const MACHINE_HAS = ['libc6'];
/** What validates tokens in each API, and what holds the dashboard's sessions. */
const PACKAGES = ['python3-keystonemiddleware', 'python3-memcache', 'python3-django', 'python3-pymemcache'];

/** Tested by downloading and unpacking them. */
export const canRunMemcacheClients: Capability = async () => {
  try {
    await tree();
    return undefined;
  } catch (error) {
    return `no clients of memcached: ${messageOf(error)}`;
  }
};

/** Runs a script with the real keystonemiddleware, Django and pymemcache. @returns its output, which is JSON */
export async function askMemcacheClients(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<unknown> {
  const python = await pythonOf(await tree());
  const PYTHONPATH = [env['PYTHONPATH'] ?? [], python.env['PYTHONPATH'] ?? ''].flat().join(':');
  return JSON.parse(
    await must(python.command, ['-c', script, ...args], { env: { ...python.env, ...env, PYTHONPATH } }),
  );
}

function tree(): Promise<string> {
  return unpackedPackages('memcache-clients', PACKAGES, { except: MACHINE_HAS });
}
