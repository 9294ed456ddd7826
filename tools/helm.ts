import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/core/errors.ts';
import type { Capability } from './capability.ts';
import { run, type Finished } from './process.ts';
import { goModules, type GoModule } from './go-modules.ts';
import { goProgram } from './go-program.ts';
import { keptResult } from './helm-results.ts';

const DIRECTORY_OF = { '4': 'helm', '3': 'helm-3' } as const;
const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
/** The disk space that a cold build's modules and Go's build cache need. */
const BUILD_BYTES = 3e9;

/** The versions of Helm that are tested: the one that is shipped, and its predecessor until that gets no more fixes. */
export type HelmMajor = '4' | '3';

/** Which one the tests run: `HELM_MAJOR=3`. */
function testedMajor(): HelmMajor {
  const major = process.env['HELM_MAJOR'] ?? '4';
  if (major !== '4' && major !== '3') throw new Error(`HELM_MAJOR=${major}: 4 or 3 is required`);
  return major;
}

/**
 * Helm, built once into the cache from the modules that `helm/go.sum` pins.
 * @param architecture of the processor that runs it, in Node's spelling
 */
export async function helmBinary(
  architecture: string = process.arch,
  major: HelmMajor = testedMajor(),
): Promise<string> {
  const within = DIRECTORY_OF[major];
  const required = await readFile(join(DIRECTORY, within, 'go.mod'), 'utf8');
  const module = `helm.sh/helm/v${major}`;
  const version = requiredVersion(required, module, within);
  return await goProgram({
    name: 'helm',
    directory: DIRECTORY,
    within,
    sources: [within],
    // What Helm's own releases set. Without it, this one reports version v4.3.
    flags: [
      `-X ${module}/internal/version.version=${version}`,
      ...(major === '3' ? kubernetesFlags(requiredVersion(required, 'k8s.io/client-go', within)) : []),
    ],
    room: BUILD_BYTES,
    main: `${module}/cmd/helm`,
    architecture,
  });
}

/**
 * The Kubernetes that Helm 3 renders for: by default 1.20, which no chart of ours accepts. Helm 4 finds it by itself.
 * @param clientGo v0.37.0 is the library of Kubernetes 1.37
 */
function kubernetesFlags(clientGo: string): string[] {
  const [, minor = ''] = clientGo.split('.');
  return ['pkg/chartutil', 'pkg/lint/rules'].flatMap((name) => [
    `-X helm.sh/helm/v3/${name}.k8sVersionMajor=1`,
    `-X helm.sh/helm/v3/${name}.k8sVersionMinor=${minor}`,
  ]);
}

/** @param required the text of a go.mod in that directory */
function requiredVersion(required: string, module: string, within: string): string {
  const line = required.split('\n').find((one) => one.trim().startsWith(`${module} v`));
  if (line === undefined) throw new Error(`${DIRECTORY}${within}/go.mod does not require ${module}`);
  return line.trim().split(' ')[1] ?? '';
}

/** The modules in the Helm that is shipped: its own first, then all others, then Go's standard library. */
export async function helmModules(architecture: string): Promise<GoModule[]> {
  return await goModules(await helmBinary(architecture, '4'), join(DIRECTORY, DIRECTORY_OF['4']));
}

/** Probes by building Helm; the build is cached. */
export const canRunHelm = async (major?: HelmMajor): ReturnType<Capability> => {
  try {
    await helmBinary(process.arch, major);
    return undefined;
  } catch (error) {
    return `Helm can't be built here: ${messageOf(error)}`;
  }
};

/**
 * Runs Helm to completion. Renderings without a cluster come from the cache if the inputs are the same.
 * @param directory replaces the user's home for Helm's files
 */
export async function helm(
  directory: string,
  args: readonly string[],
  kubeconfig?: string,
  major: HelmMajor = testedMajor(),
): Promise<Finished> {
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    HELM_CACHE_HOME: join(directory, 'cache'),
    HELM_CONFIG_HOME: join(directory, 'config'),
    HELM_DATA_HOME: join(directory, 'data'),
    ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
  };
  const binary = await helmBinary(process.arch, major);
  const execute = () => run(binary, args, { env });
  return kubeconfig === undefined ? await keptResult({ binary, directory, args }, execute) : await execute();
}
