import type { Option } from '../cli/option.ts';
import { CONFIG_DIR } from '../config/index.ts';

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
    help: 'put before every destination and before /etc/passwd and /etc/group; sources are taken as written',
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

export const OPTIONS = [
  {
    flag: 'wait',
    type: 'string',
    env: 'KOLLA_INIT_WAIT',
    help: 'wait for job/NAME[@NAMESPACE] to be Complete, tcp://HOST:PORT to accept, http(s)://... to answer below 400',
    example: 'job/keystone-db-sync',
    repeat: true,
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_INIT_TIMEOUT',
    default: '30m',
    help: 'give up waiting after this',
    example: '10m',
  },
  {
    flag: 'on-failed-job',
    type: 'choice',
    values: ['fail', 'wait'],
    env: 'KOLLA_INIT_ON_FAILED_JOB',
    default: 'fail',
    help: 'a Job that failed for good ends the wait (69), or may be replaced by another',
    example: 'wait',
  },
  ...FILE_OPTIONS,
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: "file with the API server and credentials; without one, the Pod's ServiceAccount",
    example: '/root/.kube/config',
  },
  CA_FILE_OPTION,
] as const satisfies readonly Option[];
