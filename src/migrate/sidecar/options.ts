import type { Option } from '../../cli/option.ts';

/** For who runs as a native sidecar. */
export const SIDECAR_OPTIONS = [
  {
    flag: 'stay',
    type: 'boolean',
    env: 'KOLLA_DB_SYNC_STAY',
    help: 'as a native sidecar: stay after the migration until SIGTERM, and answer probes on --listen from the start; /startupz and /readyz only when the schema is right for this release',
    example: 'true',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_DB_SYNC_LISTEN',
    default: ':9809',
    help: "with --stay: [ADDRESS:]PORT for /startupz, /livez and /readyz; all of the pod's addresses unless one is given",
    example: '9809',
  },
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "with --stay: this Pod's name (metadata.name by the downward API), to check its startup probe; the host name unless given",
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
] as const satisfies readonly Option[];
