import type { Option, Values } from '../cli/option.ts';

/** In the order in which they are begun and shown. */
export const ROLE_NAMES = ['probe', 'config-watch', 'waits', 'db-sync', 'log-ship'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

export const SIDECAR_OPTIONS = [
  {
    flag: 'role',
    type: 'choice',
    values: ROLE_NAMES,
    env: 'KOLLA_SIDECAR_ROLE',
    repeat: true,
    help: 'what to do: probe (section checks), config-watch (init.watch), waits (init), db-sync (db-sync), log-ship (log-ship), each with the options of its own helper',
    example: 'log-ship',
  },
  {
    flag: 'service',
    type: 'string',
    env: 'KOLLA_SIDECAR_SERVICE',
    help: 'whose database the role db-sync migrates: one of `kolla-pod catalogue`, or of kolla-pod.yaml',
    example: 'keystone',
  },
  {
    flag: 'log-path',
    type: 'path',
    env: 'KOLLA_SIDECAR_LOG_PATH',
    repeat: true,
    help: "files or globs that the role log-ship follows (default: */*.log in that role's root)",
    example: '/var/log/kolla/nova/*.log',
  },
  {
    flag: 'ready-with-logs',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_READY_WITH_LOGS',
    help: '/readyz is 503 too while a destination takes no log lines; otherwise only /readyz/log-ship is, so that a log server takes no service down',
    example: 'true',
  },
  {
    flag: 'allow-no-checks',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_ALLOW_NO_CHECKS',
    help: 'start the role probe without checks in kolla-pod.yaml, and answer 200 for it; otherwise refused with 65',
    example: 'true',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_SIDECAR_LISTEN',
    default: ':9808',
    help: "[ADDRESS:]PORT for probes, metrics and the status page; all of the pod's addresses unless one is given",
    example: '9808',
  },
  {
    flag: 'status-public',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_STATUS_PUBLIC',
    help: 'show the status page and reasons to whoever reaches the pod; otherwise only within it and by kubectl port-forward',
    example: 'true',
  },
  {
    flag: 'host-network',
    type: 'boolean',
    env: 'KOLLA_SIDECAR_HOST_NETWORK',
    help: 'the pod uses the host network: show reasons to no client, since every user of the node can connect by loopback, unless --status-public',
    example: 'true',
  },
] as const satisfies readonly Option[];

export type SidecarOptions = Values<typeof SIDECAR_OPTIONS>;
