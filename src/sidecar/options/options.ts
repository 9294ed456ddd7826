import type { Option, Values } from '../../cli/option.ts';

/** Components in the order in which they start and are shown. */
export const COMPONENT_NAMES = ['probe', 'config-watch', 'waits', 'db-sync', 'log-ship'] as const;
export type ComponentName = (typeof COMPONENT_NAMES)[number];

export const SIDECAR_OPTIONS = [
  {
    flag: 'component',
    type: 'choice',
    values: COMPONENT_NAMES,
    env: 'KOLLA_SIDECAR_COMPONENT',
    repeat: true,
    help: 'component to run: probe, config-watch, waits, db-sync or log-ship',
    example: 'log-ship',
  },
  {
    flag: 'role',
    type: 'choice',
    values: COMPONENT_NAMES,
    env: 'KOLLA_SIDECAR_ROLE',
    repeat: true,
    help: 'former name of --component',
    example: 'log-ship',
    isRare: true,
  },
  {
    flag: 'service',
    type: 'string',
    env: 'KOLLA_SIDECAR_SERVICE',
    help: 'service for the `db-sync` component',
    details: 'From `kolla-pod catalogue` or kolla-pod.yaml.',
    example: 'keystone',
  },
  {
    flag: 'log-path',
    type: 'path',
    env: 'KOLLA_SIDECAR_LOG_PATH',
    repeat: true,
    help: 'files or globs for the `log-ship` component (default: */*.log)',
    example: '/var/log/kolla/nova/*.log',
  },
  {
    flag: 'ready-with-logs',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_READY_WITH_LOGS',
    help: 'fail /readyz while a log destination is unavailable',
    details: 'By default only /readyz/log-ship fails, so that a log server outage takes no service out of rotation.',
    example: 'true',
  },
  {
    flag: 'allow-no-checks',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_ALLOW_NO_CHECKS',
    help: 'start the `probe` component even without checks',
    details: 'Every probe then returns 200. Without this option the exit code is 65.',
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
    help: 'show the status page to every client',
    details: 'By default it is limited to the Pod and kubectl port-forward.',
    example: 'true',
  },
  {
    flag: 'host-network',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_HOST_NETWORK',
    help: 'hide reasons from all clients, for Pods with hostNetwork',
    details: 'With hostNetwork, every user of the node can connect over loopback. --status-public takes precedence.',
    example: 'true',
  },
] as const satisfies readonly Option[];

export type SidecarOptions = Values<typeof SIDECAR_OPTIONS>;
