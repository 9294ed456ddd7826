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
  const required = await readFile(join(DIRECTORY, 'helm/go.mod'), 'utf8');
  const version = requiredVersion(required, 'helm.sh/helm/v3');
  // The library v0.37.0 is that of Kubernetes 1.37.
  const [, minor = ''] = requiredVersion(required, 'k8s.io/client-go').split('.');
  return await goProgram({
    name: 'helm',
    directory: DIRECTORY,
    sources: ['helm'],
    // What Helm's own releases set. Without it, this one reports version v3, and renders for Kubernetes 1.20, which no
    // chart of ours accepts.
    flags: [
      `-X helm.sh/helm/v3/internal/version.version=${version}`,
      ...['pkg/chartutil', 'pkg/lint/rules'].flatMap((name) => [
        `-X helm.sh/helm/v3/${name}.k8sVersionMajor=1`,
        `-X helm.sh/helm/v3/${name}.k8sVersionMinor=${minor}`,
      ]),
    ],
    room: BUILD_BYTES,
    main: 'helm.sh/helm/v3/cmd/helm',
    architecture,
  });
}

/** @param required the text of a go.mod */
function requiredVersion(required: string, module: string): string {
  const line = required.split('\n').find((one) => one.trim().startsWith(`${module} v`));
  if (line === undefined) throw new Error(`${DIRECTORY}helm/go.mod does not require ${module}`);
  return line.trim().split(' ')[1] ?? '';
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
