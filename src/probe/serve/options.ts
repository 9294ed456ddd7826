import type { Option } from '../../cli/option.ts';

export const SERVE_OPTIONS = [
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_PROBE_LISTEN',
    default: ':9808',
    help: "[ADDRESS:]PORT for probes and metrics; all of the pod's addresses unless one is given",
    example: '9808',
  },
  {
    flag: 'grpc-listen',
    type: 'string',
    env: 'KOLLA_PROBE_GRPC_LISTEN',
    help: "[ADDRESS:]PORT for grpc.health.v1, the kubelet's grpc probe; none unless given",
    example: '9810',
  },
  {
    flag: 'status-public',
    type: 'boolean',
    env: 'KOLLA_PROBE_STATUS_PUBLIC',
    help: 'show reasons (?verbose, /checks/NAME, /status.json) to whoever reaches the pod; otherwise only within it and by kubectl port-forward',
    example: 'true',
  },
  {
    flag: 'allow-no-checks',
    type: 'boolean',
    env: 'KOLLA_PROBE_ALLOW_NO_CHECKS',
    help: 'start without checks in kolla-pod.yaml, and answer 200 to every probe; otherwise refused with 65',
    example: 'true',
  },
  {
    flag: 'door-file',
    type: 'path',
    env: 'KOLLA_PROBE_DOOR_FILE',
    help: "where Kolla's healthcheck names find this server's port and token (default /run/kolla/probe, if that can be written)",
    example: '/run/kolla/probe',
  },
  {
    flag: 'events',
    type: 'boolean',
    env: 'KOLLA_PROBE_EVENTS',
    default: 'true',
    help: 'leave an Event on the own Pod when a check becomes unhealthy, and when it recovers; needs a ServiceAccount (kolla-probe rbac)',
    example: 'false',
  },
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "this Pod's name (metadata.name by the downward API), for Events; the host name unless given",
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
  {
    flag: 'pod-uid',
    type: 'string',
    env: 'POD_UID',
    help: "this Pod's uid (metadata.uid by the downward API), for Events; by the kubelet's mounts unless given",
    example: '7d0a3a52-6b1c-4a3e-9c64-2f3a8c1f1a52',
  },
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: "file with the API server and credentials; without one, the Pod's ServiceAccount",
    example: '/root/.kube/config',
  },
] as const satisfies readonly Option[];
