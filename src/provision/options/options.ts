import { grouped, type Option, type Values } from '../../cli/option.ts';
import { secretOption } from '../../cli/secret-option.ts';
import { caFileOption, tlsOption } from '../../cli/tls-option.ts';
import { PARTS } from '../converge/change.ts';
import { ACCESS_OPTIONS } from './access.ts';

const PART_OPTIONS = [
  {
    flag: 'only',
    type: 'choice',
    values: PARTS,
    env: 'KOLLA_BOOTSTRAP_ONLY',
    repeat: true,
    help: 'parts to run',
    example: 'users',
  },
  {
    flag: 'skip',
    type: 'choice',
    values: PARTS,
    env: 'KOLLA_BOOTSTRAP_SKIP',
    repeat: true,
    help: 'parts to leave out',
    example: 'queue',
  },
] as const satisfies readonly Option[];

/** Options of all kolla-bootstrap commands except `keys`. */
export const OWN_OPTIONS = [
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_TIMEOUT',
    default: '10m',
    help: 'maximum time for each part except the migration',
    details:
      'One limit each for waits, the database server, RabbitMQ with keys, and Keystone; none for commands of the service.',
    example: '30m',
  },
  {
    flag: 'service-config',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_SERVICE_CONFIG',
    help: "service's configuration file (default: the catalogue's path for SERVICE)",
    details: 'Contains its database URL, accounts and transport URL.',
    example: '/etc/glance/glance-api.conf',
  },
  tlsOption('KOLLA_BOOTSTRAP_TLS', 'depends on the URL'),
  caFileOption('KOLLA_BOOTSTRAP_CA_FILE'),
] as const satisfies readonly Option[];

/** Of the service's accounts: the value is that of the first one. */
export const PASSWORD = secretOption({
  flag: 'password',
  env: 'KOLLA_BOOTSTRAP_PASSWORD',
  help: "password of the service's first account",
  details: "Overrides the password in the service's configuration.",
  example: 'PASSWORD',
  file: {
    repeat: true,
    help: "[USER=]FILE with an account's password (default USER: first account)",
    example: 'heat_domain_admin=/run/secrets/heat-domain-admin',
  },
});

const ENDPOINT_OPTIONS = [
  {
    flag: 'public-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_PUBLIC_URL',
    repeat: true,
    help: '[NAME=]URL of the public endpoints',
    details:
      "A URL without a path gets the service's own path; {port}, {path}, {name}, {type}, {service}, {region} and {interface} are replaced. NAME limits the URL to that entry of the catalogue.",
    example: 'https://api.example.com:{port}{path}',
  },
  {
    flag: 'internal-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_INTERNAL_URL',
    repeat: true,
    help: '[NAME=]URL of the internal endpoints',
    example: 'http://{name}:{port}{path}',
  },
  {
    flag: 'admin-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_ADMIN_URL',
    repeat: true,
    help: '[NAME=]URL of the (legacy) admin endpoints',
    details: 'An interface without a URL is not changed.',
    example: 'http://{name}:{port}{path}',
  },
  {
    flag: 'region',
    type: 'string',
    env: 'OS_REGION_NAME',
    repeat: true,
    help: 'region of the endpoints (default: from clouds.yaml, else RegionOne)',
    example: 'RegionOne',
  },
] as const satisfies readonly Option[];

export const RABBITMQ_ADMIN_PASSWORD = secretOption({
  flag: 'rabbitmq-admin-password',
  env: 'KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD',
  help: 'password of that account',
  example: 'PASSWORD',
  file: { help: "file with that account's password", example: '/run/secrets/rabbitmq-admin' },
});

/** Access to RabbitMQ's management API. */
export const ADMIN_OPTIONS = [
  {
    flag: 'rabbitmq-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_URL',
    repeat: true,
    help: "URL of RabbitMQ's management API (default: the transport URL's hosts)",
    details:
      'The default is http on port 15672, or https on 15671 with --tls verify or require. Several nodes are tried in order.',
    example: 'http://rabbitmq:15672',
  },
  {
    flag: 'rabbitmq-admin-user',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER',
    help: 'RabbitMQ account with the administrator tag',
    details: 'Without it RabbitMQ is not changed.',
    example: 'openstack',
  },
  ...RABBITMQ_ADMIN_PASSWORD,
] as const satisfies readonly Option[];

export const TRANSPORT_URL = secretOption({
  flag: 'transport-url',
  env: 'KOLLA_BOOTSTRAP_TRANSPORT_URL',
  help: "transport URL, overriding the service's configuration",
  details: 'Determines virtual host, account and password.',
  example: 'rabbit://nova:PASSWORD@rabbitmq:5672/nova',
  file: { help: 'file with the transport URL', example: '/run/secrets/nova-transport-url' },
});

const QUEUE_OPTIONS = [...TRANSPORT_URL, ...ADMIN_OPTIONS] as const satisfies readonly Option[];

/** Connection to the API server, for commands without other options for it. */
export const KEYS_ACCESS_OPTIONS = [
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: 'kubeconfig file (default: the ServiceAccount)',
    details: 'Without either, a run leaves keys as they are, and kolla-bootstrap keys uses ~/.kube/config.',
    example: '/root/.kube/config',
  },
  {
    flag: 'namespace',
    short: 'n',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_NAMESPACE',
    help: 'namespace of the Secrets (default: of the Pod or kubeconfig)',
    example: 'openstack',
  },
] as const satisfies readonly Option[];

/** Options of the part `keys`. */
export const KEYS_OPTIONS = [
  {
    flag: 'keys-from',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_KEYS_FROM',
    repeat: true,
    help: 'NAME=DIRECTORY with existing keys for a new Secret',
    details: 'These keys are imported if the Secret does not exist yet; otherwise keys are generated.',
    example: 'fernet=/etc/keystone/fernet-keys',
  },
] as const satisfies readonly Option[];

/** Options of a run, of `plan` and of `delete`. */
export const BOOTSTRAP_OPTIONS = [
  ...grouped('Parts', PART_OPTIONS, ['only', 'skip']),
  ...grouped('Service', OWN_OPTIONS, ['timeout', 'service-config', 'tls', 'ca-file']),
  ...grouped('Service', PASSWORD, ['password-file']),
  ...grouped('Endpoints', ENDPOINT_OPTIONS, ['public-url', 'internal-url', 'region']),
  ...grouped('RabbitMQ', QUEUE_OPTIONS, ['rabbitmq-admin-user', 'rabbitmq-admin-password-file']),
  ...grouped('Keys', KEYS_OPTIONS, []),
  ...grouped('Kubernetes', KEYS_ACCESS_OPTIONS, ['kubeconfig', 'namespace']),
  ...grouped('Keystone', ACCESS_OPTIONS, ['os-cloud', 'os-auth-url', 'os-username', 'os-password-file', 'os-cacert']),
] as const satisfies readonly Option[];

export type BootstrapOptions = Values<typeof BOOTSTRAP_OPTIONS>;
