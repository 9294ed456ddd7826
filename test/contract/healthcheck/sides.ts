import { join } from 'node:path';
import { unpackedPackages } from '../../../tools/debian.ts';
import type { Capability } from '../../../tools/capability.ts';
import { runHelper } from '../../support/helper.ts';
import { run, type Finished } from '../../../tools/process.ts';
import { canHaveKolla, kollaPackage } from '../kolla-package.ts';

/** Programs that Kolla's scripts use, with Debian's packages. */
const TOOLS = { ss: 'iproute2', pgrep: 'procps', lsof: 'lsof', curl: 'curl' } as const;
const WHERE: Readonly<Record<string, string>> = {
  healthcheck_mariadb: 'mariadb-server',
  healthcheck_rabbitmq: 'rabbitmq',
};

/** One call of a healthcheck, with Kolla's own script and ours. */
export interface Sides {
  theirs(name: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  ours(name: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
}

/** @param env variables in addition to PATH, for Kolla's scripts and their children */
export async function allSides(env: NodeJS.ProcessEnv = {}): Promise<Sides> {
  const docker = await kollaPackage();
  const theirEnv = { ...(await toolsEnv()), ...env };
  return {
    theirs: (name, args, more = {}) =>
      run('bash', [join(docker, WHERE[name] ?? 'base', name), ...args], { env: { ...theirEnv, ...more } }),
    ours: (name, args, more = {}) => runHelper(name, args, { env: more }),
  };
}

/** The PATH, with Debian's tools from the cache if this machine lacks them. */
async function toolsEnv(): Promise<NodeJS.ProcessEnv> {
  const PATH = process.env['PATH'];
  const missing: string[] = [];
  for (const [tool, name] of Object.entries(TOOLS)) {
    // Not by running it: for lsof, -V lists all open files of the machine.
    const { code } = await run('sh', ['-c', 'command -v "$0"', tool], { env: { PATH } });
    if (code !== 0) missing.push(name);
  }
  if (missing.length === 0) return { PATH };
  const usr = join(await unpackedPackages('healthcheck-tools', missing.toSorted(), { except: ['libc6'] }), 'usr');
  const libraries = process.arch === 'arm64' ? 'lib/aarch64-linux-gnu' : 'lib/x86_64-linux-gnu';
  return { PATH: `${PATH}:${usr}/bin:${usr}/sbin`, LD_LIBRARY_PATH: join(usr, libraries) };
}

/** Whether Kolla's scripts and the programs that they start are available or can be installed. */
export const canHaveSides: Capability = async () => {
  const missing = await canHaveKolla();
  if (missing !== undefined) return missing;
  return await toolsEnv().then(
    () => undefined,
    (error: unknown) => `no ss, pgrep, lsof or curl: ${String(error).slice(0, 200)}`,
  );
};
