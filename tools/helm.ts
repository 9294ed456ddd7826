import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/core/errors.ts';
import type { Capability } from './capability.ts';
import { run, type Finished } from './process.ts';
import { goModules, type GoModule } from './go-modules.ts';
import { goProgram } from './go-program.ts';
import { keptResult } from './helm-results.ts';

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
/** The disk space that a cold build's modules and Go's build cache need. */
const BUILD_BYTES = 3e9;

/**
 * Helm, built once into the cache from the modules that `helm/go.sum` pins.
 * @param architecture of the processor that runs it, in Node's spelling
 */
export async function helmBinary(architecture: string = process.arch): Promise<string> {
  const version = /^\s*helm\.sh\/helm\/v3 (v\S+)/m.exec(await readFile(join(DIRECTORY, 'helm/go.mod'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${DIRECTORY}helm/go.mod does not require helm.sh/helm/v3`);
  return await goProgram({
    name: 'helm',
    directory: DIRECTORY,
    sources: ['helm'],
    // A manual build reports version v3.
    flags: [`-X helm.sh/helm/v3/internal/version.version=${version}`],
    room: BUILD_BYTES,
    main: 'helm.sh/helm/v3/cmd/helm',
    architecture,
  });
}

/** The modules in that Helm: its own first, then all others, then Go's standard library. */
export async function helmModules(architecture: string): Promise<GoModule[]> {
  return await goModules(await helmBinary(architecture), join(DIRECTORY, 'helm'));
}

/** Probes by building Helm; the build is cached. */
export const canRunHelm: Capability = async () => {
  try {
    await helmBinary();
    return undefined;
  } catch (error) {
    return `Helm can't be built here: ${messageOf(error)}`;
  }
};

/**
 * Runs Helm to completion. Renderings without a cluster come from the cache if the inputs are the same.
 * @param directory replaces the user's home for Helm's files
 */
export async function helm(directory: string, args: readonly string[], kubeconfig?: string): Promise<Finished> {
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    HELM_CACHE_HOME: join(directory, 'cache'),
    HELM_CONFIG_HOME: join(directory, 'config'),
    HELM_DATA_HOME: join(directory, 'data'),
    ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
  };
  const binary = await helmBinary();
  const execute = () => run(binary, args, { env });
  return kubeconfig === undefined ? await keptResult({ binary, directory, args }, execute) : await execute();
}
