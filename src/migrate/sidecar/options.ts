import type { Option } from '../../cli/option.ts';

/** For who runs as a native sidecar. */
export const SIDECAR_OPTIONS = [
  {
    flag: 'stay',
    type: 'boolean',
    env: 'KOLLA_DB_SYNC_STAY',
    help: 'run as a native sidecar until SIGTERM',
    details:
      'Probes are answered on --listen from the start; /startupz and /readyz are 200 when the schema is right for this release.',
    example: 'true',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_DB_SYNC_LISTEN',
    default: ':9809',
    help: '[ADDRESS:]PORT for the probes of --stay',
    example: '9809',
  },
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "this Pod's name, for --stay (default the host name)",
    details: 'metadata.name of the downward API; the startup probe is checked against it.',
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
] as const satisfies readonly Option[];
