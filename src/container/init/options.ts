import { KUBECONFIG_OPTION } from '../../cli/kubeconfig-option.ts';
import type { Option } from '../../cli/option.ts';
import { caFileOption, tlsOption } from '../../cli/tls-option.ts';
import { CONFIG_DIR } from '../../config/read/config-dir.ts';

/** Options of all commands that read config.json. */
export const FILE_OPTIONS = [
  {
    flag: 'config-dir',
    type: 'path',
    env: 'KOLLA_INIT_CONFIG_DIR',
    default: CONFIG_DIR,
    help: 'directory with config.yaml or config.json',
    details: `Sources below ${CONFIG_DIR} are read from this directory instead.`,
    example: '/config',
  },
  {
    flag: 'config-json',
    type: 'path',
    env: 'KOLLA_INIT_CONFIG_JSON',
    help: 'configuration file to read instead; must exist',
    example: '/config/keystone.json',
  },
  {
    flag: 'root',
    type: 'path',
    env: 'KOLLA_INIT_ROOT',
    default: '/',
    help: 'directory prepended to all destinations',
    details: "Use a volume in a container without root; the image's content is copied to it first.",
    example: '/target',
  },
] as const satisfies readonly Option[];

/** For https:// and amqps:// of waits and actions. */
export const TLS_OPTIONS = [
  tlsOption('KOLLA_INIT_TLS', 'depends on the URL'),
  caFileOption('KOLLA_INIT_CA_FILE'),
] as const;

export const TIMEOUT_OPTION = {
  flag: 'timeout',
  type: 'duration',
  env: 'KOLLA_INIT_TIMEOUT',
  default: '30m',
  help: 'maximum time to wait',
  example: '10m',
} as const satisfies Option;

export const ON_FAILED_JOB_OPTION = {
  flag: 'on-failed-job',
  type: 'choice',
  values: ['fail', 'wait'],
  env: 'KOLLA_INIT_ON_FAILED_JOB',
  default: 'fail',
  help: 'reaction to a failed Job: fail, or wait for another',
  details: 'fail ends the wait with exit code 69.',
  example: 'wait',
} as const satisfies Option;

export const DAEMONSET_ABSENT_OPTION = {
  flag: 'daemonset-absent',
  type: 'choice',
  values: ['wait', 'ready'],
  env: 'KOLLA_INIT_DAEMONSET_ABSENT',
  default: 'wait',
  help: 'result if a DaemonSet has no Pod on this node',
  example: 'ready',
} as const satisfies Option;

export const NODE_NAME_OPTION = {
  flag: 'node-name',
  type: 'string',
  env: 'NODE_NAME',
  help: "this Pod's node (default: read from the API server)",
  details: 'spec.nodeName of the downward API, for daemonset/ and node=own.',
  example: 'compute-1',
} as const satisfies Option;

export const OPTIONS = [
  {
    flag: 'wait',
    type: 'string',
    env: 'KOLLA_INIT_WAIT',
    help: 'dependency to wait for (list: `kolla-init --help`)',
    example: 'job/keystone-db-sync',
    repeat: true,
  },
  TIMEOUT_OPTION,
  ON_FAILED_JOB_OPTION,
  DAEMONSET_ABSENT_OPTION,
  ...FILE_OPTIONS,
  {
    flag: 'allow-no-config',
    type: 'boolean',
    env: 'KOLLA_INIT_ALLOW_NO_CONFIG',
    help: 'only wait if the config directory has no config.json',
    details: 'By default a directory that is given with --config-dir, or mounted, must have one.',
    example: 'true',
  },
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "this Pod's name, for container/ and node=own (default: the host name)",
    details: 'metadata.name of the downward API; also for Events.',
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
  NODE_NAME_OPTION,
  KUBECONFIG_OPTION,
  ...TLS_OPTIONS,
] as const satisfies readonly Option[];
