import type { Input } from '../../../cli/command.ts';
import type { Option } from '../../../cli/option.ts';
import { caFileOption, tlsOption } from '../../../cli/tls-option.ts';
import { IMAGE_DIRECTORY } from '../../../rabbitmq/version.ts';
import { ADMIN_OPTIONS } from '../../options/options.ts';

const IMAGE_OPTION = {
  flag: 'image',
  type: 'path',
  env: 'KOLLA_BOOTSTRAP_RABBITMQ_IMAGE',
  default: IMAGE_DIRECTORY,
  help: "directory with this image's rabbitmq_server-VERSION",
  example: '/opt/rabbitmq/lib',
} as const satisfies Option;

export const CHECK_OPTIONS = [
  {
    flag: 'data',
    type: 'path',
    env: 'RABBITMQ_MNESIA_BASE',
    default: '/var/lib/rabbitmq/mnesia',
    help: "directory that contains the node's data",
    example: '/var/lib/rabbitmq/mnesia',
  },
  {
    flag: 'node',
    type: 'string',
    env: 'RABBITMQ_NODENAME',
    help: 'name of the node and of its data directory',
    example: 'rabbit@rabbitmq-0.rabbitmq-nodes.openstack.svc.cluster.local',
  },
  {
    flag: 'version-file',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_VERSION_FILE',
    default: '/var/lib/rabbitmq/version',
    help: 'file with the version, of kolla-probe rabbitmq --version-file',
    example: '/var/lib/rabbitmq/version',
  },
  IMAGE_OPTION,
] as const satisfies readonly Option[];

export const PREPARE_OPTIONS = [
  ...ADMIN_OPTIONS,
  IMAGE_OPTION,
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_TIMEOUT',
    default: '4m',
    help: 'maximum time in total',
    example: '10m',
  },
  tlsOption('KOLLA_BOOTSTRAP_TLS', 'depends on the URL'),
  caFileOption('KOLLA_BOOTSTRAP_CA_FILE'),
] as const satisfies readonly Option[];

export type CheckOptions = Input<typeof CHECK_OPTIONS>['options'];
export type PrepareOptions = Input<typeof PREPARE_OPTIONS>['options'];
