/**
 * kolla-operator: keeps Helm releases as the objects OpenStack and OpenStackService (k8s/crds) describe them.
 *
 *   options -> client -> Lease: one of the replicas leads; a lost Lease ends Helm before another replica can take it
 *   -> watches -> caches; each change adds the key of an object to a work queue: never two turns of one key at a time,
 *     errors retried with backoff
 *   openstack/: an OpenStack and its services -> plan (pure; stages of catalog/order.ts) -> preflight, before an upgrade
 *     touches anything -> services are applied (server-side), switched off, or wait -> status
 *   service/: a service -> desired chart and values, with the replicas of its workloads -> Helm's own record of the newest
 *     revision -> decide (pure) -> helm upgrade --install | unlock an interrupted operation | wait | refuse to go back
 *     behind contract | observe workloads, Jobs and migrations -> status, Events; an OpenStackWorkload for each workload
 *   workload/: pause and restart, applied on the workload with a field manager of their own -> status of its Pods
 *
 *   beat: each turn and each watch says by when it moves again; if one does not, /livez fails, the Lease is released and the
 *     process exits. A Helm has a deadline and a limit of memory (helm/guard.ts)
 *   journal: the turns that are taken, in --directory; an object during which the process died twice is tried last
 *
 * There is no other state: each decision follows from our objects, Helm's Secrets and the workloads, and is made again from
 * what the server has before it is acted on, because a cache may be old. So the process may be killed at any moment. What
 * can fail is a condition of the object, in Helm's or Kubernetes' words; of values with templates only the place in the chart, since
 * these can quote any Secret. Exit codes: no credentials, or a directory that another user can write to 65, the Lease lost or a turn
 * stuck 69, permissions 77.
 */
import { command, type Helper } from '../cli/command.ts';
import { OPERATOR_OPTIONS } from './options.ts';
import { rbacCommand } from './rbac.ts';

const main = command({
  summary: 'Installs and upgrades a cloud from OpenStack objects, as plain Helm releases.',
  description:
    'Watches OpenStack, OpenStackService and OpenStackWorkload objects in one namespace and runs helm upgrade --install ' +
    'for each service, in the order of the catalogue. Adopts releases that were installed by hand. Several replicas elect ' +
    'a leader. Without it, all releases keep running and can be managed with helm.',
  operands: [],
  notes: [
    {
      heading: 'Controllers',
      rows: [
        ['openstack', 'OpenStack: one OpenStackService for each service, upgraded in order'],
        ['service', 'OpenStackService: one Helm release each, and its OpenStackWorkloads'],
        ['workload', 'OpenStackWorkload: pause and restart of one workload, and the state of its Pods'],
      ],
    },
  ],
  options: OPERATOR_OPTIONS,
  examples: [
    { line: 'kolla-operator', does: 'in a Pod, with all controllers' },
    {
      line: 'kolla-operator --controllers service --charts dist/charts -n openstack --kubeconfig ~/.kube/config',
      does: 'outside of the cluster, for single services',
    },
  ],
  async run({ options }, context) {
    // Loaded lazily: help and tables do not need it.
    const { runOperator } = await import('./run.ts');
    return await runOperator(options, context);
  },
});

export const operator: Helper = {
  name: 'kolla-operator',
  summary: 'Installs and upgrades a cloud from OpenStack objects, as plain Helm releases.',
  main,
  commands: { rbac: rbacCommand },
};
