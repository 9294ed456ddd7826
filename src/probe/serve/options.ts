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
] as const satisfies readonly Option[];
