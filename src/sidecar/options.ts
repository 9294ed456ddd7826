import type { Option, Values } from '../cli/option.ts';

/** In the order of start and display. */
export const ROLE_NAMES = ['probe', 'config-watch', 'waits', 'db-sync', 'log-ship'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

export const SIDECAR_OPTIONS = [
  {
    flag: 'role',
    type: 'choice',
    values: ROLE_NAMES,
    env: 'KOLLA_SIDECAR_ROLE',
    repeat: true,
    help: 'component to run, as listed under Components',
    example: 'log-ship',
  },
  {
    flag: 'service',
    type: 'string',
    env: 'KOLLA_SIDECAR_SERVICE',
    help: 'service of the component db-sync',
    details: 'One of `kolla-pod catalogue`, or of kolla-pod.yaml.',
    example: 'keystone',
  },
  {
    flag: 'log-path',
    type: 'path',
    env: 'KOLLA_SIDECAR_LOG_PATH',
    repeat: true,
    help: 'files or globs of the component log-ship (default */*.log)',
    example: '/var/log/kolla/nova/*.log',
  },
  {
    flag: 'ready-with-logs',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_READY_WITH_LOGS',
    help: '/readyz fails while a log destination does',
    details: 'Otherwise only /readyz/log-ship fails, so that a log server cannot take a service out of rotation.',
    example: 'true',
  },
  {
    flag: 'allow-no-checks',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_ALLOW_NO_CHECKS',
    help: 'permission to start the component probe without checks',
    details: 'Every probe then returns 200; otherwise the exit code is 65.',
    example: 'true',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_SIDECAR_LISTEN',
    default: ':9808',
    help: '[ADDRESS:]PORT for probes, metrics and the status page',
    example: '9808',
  },
  {
    flag: 'status-public',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_STATUS_PUBLIC',
    help: 'status page for every client, not only within the Pod',
    details: 'Otherwise only within the Pod and by kubectl port-forward.',
    example: 'true',
  },
  {
    flag: 'host-network',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_HOST_NETWORK',
    help: 'no reasons for any client, for host network Pods',
    details: 'Every user of the node can connect by loopback. --status-public takes precedence.',
    example: 'true',
  },
] as const satisfies readonly Option[];

export type SidecarOptions = Values<typeof SIDECAR_OPTIONS>;
