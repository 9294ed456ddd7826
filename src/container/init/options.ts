import type { Option } from '../../cli/option.ts';
import { CONFIG_DIR } from '../../config/index.ts';

/** What every command takes that reads config.json. */
export const FILE_OPTIONS = [
  {
    flag: 'config-dir',
    type: 'path',
    env: 'KOLLA_INIT_CONFIG_DIR',
    default: CONFIG_DIR,
    help: `what stands for ${CONFIG_DIR}: config.yaml or config.json is read there, and sources below that path too`,
    example: '/config',
  },
  {
    flag: 'config-json',
    type: 'path',
    env: 'KOLLA_INIT_CONFIG_JSON',
    help: 'the file to read instead; must be there',
    example: '/config/keystone.json',
  },
  {
    flag: 'root',
    type: 'path',
    env: 'KOLLA_INIT_ROOT',
    default: '/',
    help: "a volume for a container without root: destinations are put below it, after the image's own content of what is mounted",
    example: '/target',
  },
] as const satisfies readonly Option[];

export const CA_FILE_OPTION = {
  flag: 'ca-file',
  type: 'path',
  env: 'KOLLA_INIT_CA_FILE',
  help: 'PEM file of the authorities that an https:// URL may have, instead of the well-known ones',
  example: '/etc/ssl/certs/ca-certificates.crt',
} as const satisfies Option;

export const TIMEOUT_OPTION = {
  flag: 'timeout',
  type: 'duration',
  env: 'KOLLA_INIT_TIMEOUT',
  default: '30m',
  help: 'give up waiting after this',
  example: '10m',
} as const satisfies Option;

export const ON_FAILED_JOB_OPTION = {
  flag: 'on-failed-job',
  type: 'choice',
  values: ['fail', 'wait'],
  env: 'KOLLA_INIT_ON_FAILED_JOB',
  default: 'fail',
  help: 'a Job that failed for good ends the wait (69), or may be replaced by another',
  example: 'wait',
} as const satisfies Option;

export const DAEMONSET_ABSENT_OPTION = {
  flag: 'daemonset-absent',
  type: 'choice',
  values: ['wait', 'ready'],
  env: 'KOLLA_INIT_DAEMONSET_ABSENT',
  default: 'wait',
  help: 'a DaemonSet with no Pod on this node: wait for one, or count it as ready',
  example: 'ready',
} as const satisfies Option;

export const NODE_NAME_OPTION = {
  flag: 'node-name',
  type: 'string',
  env: 'NODE_NAME',
  help: "this Pod's node (spec.nodeName by the downward API), for daemonset/ and node=own; the Pod is asked for unless given",
  example: 'compute-1',
} as const satisfies Option;

export const OPTIONS = [
  {
    flag: 'wait',
    type: 'string',
    env: 'KOLLA_INIT_WAIT',
    help: 'dependency to wait for, as listed under Waits',
    example: 'job/keystone-db-sync',
    repeat: true,
  },
  TIMEOUT_OPTION,
  ON_FAILED_JOB_OPTION,
  DAEMONSET_ABSENT_OPTION,
  ...FILE_OPTIONS,
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "this Pod's name (metadata.name by the downward API), for container/, node=own and Events; the host name unless given",
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
  NODE_NAME_OPTION,
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: "file with the API server and credentials; without one, the Pod's ServiceAccount",
    example: '/root/.kube/config',
  },
  CA_FILE_OPTION,
] as const satisfies readonly Option[];
