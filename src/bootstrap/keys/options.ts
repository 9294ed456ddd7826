import type { Option } from '../../cli/option.ts';

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

/** What a rotation takes besides. */
export const ROTATE_OPTIONS = [
  {
    flag: 'settle',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_KEYS_SETTLE',
    default: '15m',
    help: 'how long a replica may go on with old keys: within that of any change, nothing is rotated',
    example: '1h',
  },
  {
    flag: 'token-lifetime',
    type: 'duration',
    env: 'KOLLA_BOOTSTRAP_KEYS_TOKEN_LIFETIME',
    help: 'how long a token may be shown (default: [token] expiration and allow_expired_window of keystone.conf, else 49h)',
    example: '49h',
  },
  {
    flag: 'max-active-keys',
    type: 'integer',
    env: 'KOLLA_BOOTSTRAP_KEYS_MAX_ACTIVE_KEYS',
    help: 'how many keys stay, if none is needed for longer (default: max_active_keys of keystone.conf, else 3)',
    example: '3',
  },
  {
    flag: 'service-config',
    type: 'path',
    env: 'KOLLA_BOOTSTRAP_SERVICE_CONFIG',
    help: 'the configuration file that says these, and that keystone-manage is given (default: /etc/keystone/keystone.conf)',
    example: '/etc/keystone/keystone.conf',
  },
] as const satisfies readonly Option[];
