import type { Option } from '../../cli/option.ts';

/** What documents are made of, and what they tell of the pod. */
export const PARSE_OPTIONS = [
  {
    flag: 'schema',
    type: 'choice',
    values: ['kolla', 'ecs', 'raw'],
    env: 'KOLLA_LOG_SHIP_SCHEMA',
    default: 'kolla',
    help: "names of the fields: those of Kolla's fluentd, ECS 8, or the bare line",
    example: 'ecs',
  },
  {
    flag: 'format',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_FORMAT',
    help: "GLOB=NAME for files that are not Kolla's; relative globs are of --root",
    example: '*/app.log=oslo',
  },
  {
    flag: 'multiline-timeout',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_MULTILINE_TIMEOUT',
    default: '1s',
    help: 'how long an event waits for its next line',
    example: '5s',
  },
  {
    flag: 'container',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_CONTAINER',
    help: 'the name of the container whose logs these are',
    example: 'keystone-api',
  },
  {
    flag: 'label',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_LABEL',
    help: 'NAME=VALUE for every document',
    example: 'region=RegionOne',
  },
  {
    flag: 'labels-file',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_LABELS_FILE',
    help: "the pod's labels, as the downward API writes metadata.labels",
    example: '/etc/podinfo/labels',
  },
] as const satisfies readonly Option[];
