import type { Option } from '../../cli/option.ts';
import { secretOption } from '../../cli/secret-option.ts';
import { TLS_MEANING } from '../../cli/tls-option.ts';

export const PASSWORD = secretOption({
  flag: 'password',
  env: 'KOLLA_LOG_SHIP_PASSWORD',
  help: "account's password",
  example: '...',
  file: {
    repeat: true,
    help: '[KIND=]FILE with the password, reloaded on change',
    details: 'A trailing newline is ignored.',
    example: '/run/secrets/elasticsearch/password',
  },
});

export const API_KEY = secretOption({
  flag: 'api-key',
  env: 'KOLLA_LOG_SHIP_API_KEY',
  help: 'API key instead of user and password',
  example: '...',
  file: {
    repeat: true,
    help: '[KIND=]FILE with the API key, reloaded on change',
    details: 'Base64-encoded, or as id:key.',
    example: '/run/secrets/elasticsearch/api-key',
  },
});

/** Options for the connection to servers and for the target, which `setup` has too. */
export const SINK_OPTIONS = [
  {
    flag: 'to',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_TO',
    help: 'destination, as KIND or KIND=URL',
    details: 'KIND is elasticsearch, opensearch or stdout. Without --url the default is stdout.',
    example: 'opensearch=https://opensearch:9200',
  },
  {
    flag: 'url',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_URL',
    help: 'URL for a --to without =URL',
    details: 'Separate several hosts with commas.',
    example: 'https://elasticsearch:9200',
  },
  {
    flag: 'user',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_USER',
    help: '[KIND=]user name for the destination',
    details: 'KIND limits the value to that destination, such as opensearch=NAME; so do all options with [KIND=].',
    example: 'shipper',
  },
  ...PASSWORD,
  ...API_KEY,
  {
    flag: 'tls',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_TLS',
    help: '[KIND=]verify|require|off (default: depends on the URL)',
    details: TLS_MEANING,
    example: 'verify',
  },
  {
    flag: 'ca-file',
    type: 'path',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_CA_FILE',
    help: "[KIND=]FILE with the CA bundle (default: the image's CA bundle)",
    example: '/etc/ssl/certs/ca-certificates.crt',
  },
  {
    flag: 'cert-file',
    type: 'path',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_CERT_FILE',
    help: '[KIND=]FILE with the client certificate (PEM)',
    example: '/run/secrets/elasticsearch/tls.crt',
  },
  {
    flag: 'key-file',
    type: 'path',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_KEY_FILE',
    help: "[KIND=]FILE with the client certificate's private key (PEM)",
    example: '/run/secrets/elasticsearch/tls.key',
  },
  {
    flag: 'index-prefix',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_INDEX_PREFIX',
    default: 'flog',
    help: 'prefix of daily indices, as in PREFIX-2026.01.31',
    example: 'flog',
  },
  {
    flag: 'data-stream',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_DATA_STREAM',
    help: 'data stream instead of daily indices',
    example: 'logs-openstack-default',
  },
] as const satisfies readonly Option[];

/** Options about sending and about rejected documents. */
export const SEND_OPTIONS = [
  {
    flag: 'gzip',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_GZIP',
    help: 'compress requests: fewer bytes, more CPU',
    example: 'true',
  },
  {
    flag: 'dead-letter-bytes',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_DEAD_LETTER_BYTES',
    default: '67108864',
    help: 'maximum total size of the dead-letter files',
    details: 'At the limit the older file is overwritten.',
    example: '1073741824',
  },
  {
    flag: 'memory',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_MEMORY',
    default: '33554432',
    help: 'maximum anonymous memory of the process, in bytes',
    details: 'What the process and its files leave of it is for unacknowledged lines. Reading pauses at the limit.',
    example: '67108864',
  },
  {
    flag: 'in-flight-bytes',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_IN_FLIGHT_BYTES',
    help: 'maximum number of unacknowledged bytes in memory (default: what --memory leaves)',
    example: '8388608',
  },
] as const satisfies readonly Option[];
