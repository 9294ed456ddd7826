import type { Context } from '../../cli/command.ts';
import { ExitCode, UnavailableError } from '../../core/errors.ts';
import { objectPath } from '../../kube/path.ts';
import { kubeSource, lazyKube } from '../../kube/source.ts';
import type { KubeClient } from '../../kube/types.ts';
import { conditionOf } from '../../operator/api/conditions.ts';
import { ownRef, type OpenStack } from '../../operator/api/objects.ts';
import { stepsTo } from '../../operator/openstack/steps.ts';
import { readCloud, refused } from './read.ts';

interface Options {
  readonly dryRun: boolean;
  readonly watch: boolean;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

export async function runUpgrade(
  release: string,
  { dryRun, watch, namespace, kubeconfig, context }: Options,
  { signal, stdout, log, inherited }: Context,
): Promise<ExitCode> {
  using kube = lazyKube(() => kubeSource(kubeconfig, inherited, { context }), namespace);
  const client = await kube.get();
  const cloud = await readCloud(client, signal);
  const [openstack, ...others] = cloud.openstacks;
  if (openstack === undefined || others.length > 0) {
    const count = openstack === undefined ? 'no OpenStack' : `${others.length + 1} OpenStack objects`;
    throw new UnavailableError(`${count} in namespace ${client.namespace}: there must be one`);
  }
  if (dryRun) {
    const steps = stepsTo(release, openstack, cloud.services);
    stdout(steps.map((step, i) => `${i + 1}. ${step}\n`).join('') || `nothing to do: all services are at ${release}\n`);
    return ExitCode.ok;
  }
  const { name } = openstack.metadata;
  const ref = ownRef('OpenStack', client.namespace, name);
  const { metadata } = await client
    .request<OpenStack>('PATCH', objectPath(ref), { spec: { release } }, { signal })
    .catch((error: unknown) => {
      throw refused(client, error, signal);
    });
  log.info(`OpenStack ${name}: release ${openstack.spec.release} -> ${release}`);
  return watch ? await follow(client, name, metadata.generation, { signal, log }) : ExitCode.ok;
}

/** Logs each change of the state until all services are ready. */
async function follow(
  client: KubeClient,
  name: string,
  generation: number,
  { signal, log }: Pick<Context, 'signal' | 'log'>,
): Promise<ExitCode> {
  const warn = (message: string) => log.warn(message);
  let last = '';
  for await (const seen of client.watch<OpenStack>(ownRef('OpenStack', client.namespace, name), { signal, warn })) {
    if (seen.kind === 'trouble') log.warn(`the API server at ${client.server}: ${seen.reason}`);
    if (seen.kind === 'deleted' || seen.kind === 'absent') throw new UnavailableError(`OpenStack ${name} was deleted`);
    if (seen.kind !== 'object' || (seen.object.status?.observedGeneration ?? 0) < generation) continue;
    const { phase = '', progress = '', message = '', conditions } = seen.object.status ?? {};
    const line = `${phase}, ${progress} services ready${message === '' ? '' : `: ${message}`}`;
    if (line !== last) log.info(line);
    last = line;
    if (conditionOf(conditions, 'Ready')?.status === 'True') return ExitCode.ok;
    const degraded = conditionOf(conditions, 'Degraded');
    if (degraded?.status === 'True') throw new UnavailableError(degraded.message);
  }
  return ExitCode.ok;
}
