import { grouped, type Option, type Values } from '../cli/option.ts';
import { PARTS } from './change.ts';
import { ACCESS_OPTIONS } from './keystone/options.ts';

const PART_OPTIONS = [
  {
    flag: 'only',
    type: 'choice',
    values: PARTS,
    env: 'KOLLA_BOOTSTRAP_ONLY',
    repeat: true,
    help: 'these parts alone',
    example: 'users',
  },
  {
    flag: 'skip',
    type: 'choice',
    values: PARTS,
    env: 'KOLLA_BOOTSTRAP_SKIP',
    repeat: true,
    help: 'all but these parts',
    example: 'queue',
  },
] as const satisfies readonly Option[];

/** Of every command. */
export const OWN_OPTIONS = [
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_TIMEOUT',
    default: '10m',
    help: 'how long each may take: what is waited for, the database server, RabbitMQ and keys, Keystone; a migration takes as long as it does',
    example: '30m',
  },
  {
    flag: 'service-config',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_SERVICE_CONFIG',
    help: "the service's configuration file, for its database, its accounts and its transport URL (default: the service's own, such as /etc/glance/glance-api.conf)",
    example: '/etc/glance/glance-api.conf',
  },
] as const satisfies readonly Option[];

const USER_OPTIONS = [
  {
    flag: 'password',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_PASSWORD',
    secret: true,
    help: "the password of the service's first account, instead of the one in its configuration",
    example: 'PASSWORD',
  },
  {
    flag: 'password-file',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_PASSWORD_FILE',
    repeat: true,
    help: "[USER=]FILE: file with an account's password; the first account's, unless said",
    example: 'heat_domain_admin=/run/secrets/heat-domain-admin',
  },
] as const satisfies readonly Option[];

const URL_HELP =
  'URL of the endpoints, or [NAME=]URL for one entry of the catalogue; a host alone, or with {port}{path} and {name}, {type}, {service}, {region}, {interface}';

const ENDPOINT_OPTIONS = [
  {
    flag: 'public-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_PUBLIC_URL',
    repeat: true,
    help: `public ${URL_HELP}`,
    example: 'https://api.example.com:{port}{path}',
  },
  {
    flag: 'internal-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_INTERNAL_URL',
    repeat: true,
    help: 'the same for the internal endpoints',
    example: 'http://{name}:{port}{path}',
  },
  {
    flag: 'admin-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_ADMIN_URL',
    repeat: true,
    help: 'the same for the admin endpoints, which nobody needs by now; of an interface without a URL nothing is changed',
    example: 'http://{name}:{port}{path}',
  },
  {
    flag: 'region',
    type: 'string',
    env: 'OS_REGION_NAME',
    repeat: true,
    help: "region of the endpoints (default: the cloud's in clouds.yaml, else RegionOne)",
    example: 'RegionOne',
  },
] as const satisfies readonly Option[];

const QUEUE_OPTIONS = [
  {
    flag: 'transport-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_TRANSPORT_URL',
    secret: true,
    help: "the service's transport URL, instead of the one in its configuration: virtual host, account and password",
    example: 'rabbit://nova:PASSWORD@rabbitmq:5672/nova',
  },
  {
    flag: 'transport-url-file',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_TRANSPORT_URL_FILE',
    help: 'file with that URL',
    example: '/run/secrets/nova-transport-url',
  },
  {
    flag: 'rabbitmq-url',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_URL',
    repeat: true,
    help: "RabbitMQ's management API; several nodes are tried in this order (default: port 15672 of the transport URL's hosts)",
    example: 'http://rabbitmq:15672',
  },
  {
    flag: 'rabbitmq-admin-user',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER',
    help: 'account with the tag administrator; without one the queue is left alone',
    example: 'openstack',
  },
  {
    flag: 'rabbitmq-admin-password',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD',
    secret: true,
    help: 'its password',
    example: 'PASSWORD',
  },
  {
    flag: 'rabbitmq-admin-password-file',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD_FILE',
    help: 'file with its password',
    example: '/run/secrets/rabbitmq-admin',
  },
  {
    flag: 'rabbitmq-cacert',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_RABBITMQ_CACERT',
    help: 'PEM file with the authorities to trust for it, instead of those of the image',
    example: '/etc/ssl/certs/kolla.pem',
  },
] as const satisfies readonly Option[];

/** The way to the API server, for who has no options for that. */
export const KEYS_ACCESS_OPTIONS = [
  {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: "how to reach the API server (default: as the Pod's ServiceAccount, else ~/.kube/config)",
    example: '/root/.kube/config',
  },
  {
    flag: 'namespace',
    short: 'n',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_NAMESPACE',
    help: "where the Secrets are (default: the Pod's own, or the kubeconfig's)",
    example: 'openstack',
  },
] as const satisfies readonly Option[];

/** What the part `keys` takes. */
export const KEYS_OPTIONS = [
  {
    flag: 'keys-from',
    type: 'string',
    env: 'KOLLA_BOOTSTRAP_KEYS_FROM',
    repeat: true,
    help: 'NAME=FOLDER: where a Secret is not there yet, keys that a deployment has already, instead of new ones',
    example: 'fernet=/etc/keystone/fernet-keys',
  },
] as const satisfies readonly Option[];

/** What every command of kolla-bootstrap takes. */
export const BOOTSTRAP_OPTIONS = [
  ...grouped('Parts', PART_OPTIONS, ['only', 'skip']),
  ...grouped('Service', OWN_OPTIONS, ['timeout', 'service-config']),
  ...grouped('Service', USER_OPTIONS, ['password-file']),
  ...grouped('Endpoints', ENDPOINT_OPTIONS, ['public-url', 'internal-url', 'region']),
  ...grouped('RabbitMQ', QUEUE_OPTIONS, ['rabbitmq-admin-user', 'rabbitmq-admin-password-file']),
  ...grouped('Keys', KEYS_OPTIONS, []),
  ...grouped('Kubernetes', KEYS_ACCESS_OPTIONS, ['kubeconfig', 'namespace']),
  ...grouped('Keystone', ACCESS_OPTIONS, ['os-cloud', 'os-auth-url', 'os-username', 'os-password-file', 'os-cacert']),
] as const satisfies readonly Option[];

export type BootstrapOptions = Values<typeof BOOTSTRAP_OPTIONS>;
