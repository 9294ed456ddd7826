/**
 * kolla-init restart: restarts workloads, for the last step of an upgrade.
 *
 *   KIND/NAME[@NAMESPACE] ... -> all parsed -> for each: the time as an annotation of its Pod template, as kubectl rollout
 *   restart writes it -> its controller replaces the Pods as in any rollout
 *
 * Does not wait for the rollouts. A workload that does not exist is skipped with a warning. Errors: 64 a word that is no
 * workload, 69 the API server cannot be reached or rejects the patch, 77 it denies the patch.
 */
import { command } from '../../cli/command.ts';
import { KUBECONFIG_OPTION } from '../../cli/kubeconfig-option.ts';
import { ExitCode, NotPermittedError, UnavailableError, messageOf } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import { parseWorkload, type NamedWorkload } from '../../kube/rollout-kinds.ts';
import { kubeSource, lazyKube } from '../../kube/source.ts';
import type { KubeClient } from '../../kube/types.ts';

/** kubectl's annotation, so that `kubectl rollout history` and other tools know it. */
const RESTARTED = 'kubectl.kubernetes.io/restartedAt';
const MANAGER = 'kolla-init';

export const restartCommand = command({
  summary: 'Restarts workloads gradually, as kubectl rollout restart does.',
  description:
    'For images without kubectl. Needs the verb `patch` on the workloads. Skips workloads that do not exist, and does ' +
    'not wait for the rollouts.',
  operands: [{ name: 'WORKLOAD', help: 'KIND/NAME[@NAMESPACE], such as deployment/nova-api', many: true }],
  options: [KUBECONFIG_OPTION],
  examples: [
    {
      line: 'kolla-init restart deployment/nova-api deployment/nova-scheduler',
      does: "after the upgrade of the last compute node: Nova's API and scheduler negotiate RPC versions again",
    },
    { line: 'kolla-init restart statefulset/rabbitmq@infrastructure', does: 'in another namespace' },
  ],
  async run({ operands, options: { kubeconfig } }, { signal, log, inherited }) {
    const workloads = operands.map((text) => parseWorkload(text, 'WORKLOAD'));
    using api = lazyKube(() => kubeSource(kubeconfig, inherited));
    const kube = await api.get();
    for (const workload of workloads) {
      const isThere = await restart(workload, kube, signal);
      if (isThere) log.info(`restarted ${workload.text}`);
      else log.warn(`${workload.text} does not exist: nothing to restart`);
    }
    return ExitCode.ok;
  },
});

/** @returns whether the workload exists */
async function restart({ text, kind, name, namespace }: NamedWorkload, kube: KubeClient, signal: AbortSignal) {
  const { resource } = kind;
  const ref = { group: 'apps', version: 'v1', resource, namespace: namespace ?? kube.namespace, name };
  const annotations = { [RESTARTED]: new Date().toISOString() };
  // A manager of its own: so that no other program takes this for a field of kubectl's or Helm's.
  const path = `${objectPath(ref)}?fieldManager=${MANAGER}`;
  try {
    await kube.request('PATCH', path, { spec: { template: { metadata: { annotations } } } }, { signal });
    return true;
  } catch (cause) {
    signal.throwIfAborted();
    const status = cause instanceof ApiError ? cause.status : 0;
    if (status === 404) return false;
    const said = `cannot restart ${text}: ${messageOf(cause)}`;
    if (status === 403)
      throw new NotPermittedError(`${said}; add the verb patch on ${resource}.apps '${name}' to its Role`, { cause });
    throw new UnavailableError(said, { cause });
  }
}
