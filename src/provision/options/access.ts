import type { Option, Values } from '../../cli/option.ts';
import { secretOption } from '../../cli/secret-option.ts';

export const OS_PASSWORD = secretOption({
  flag: 'os-password',
  env: 'OS_PASSWORD',
  help: "user's password",
  example: 'PASSWORD',
  file: { help: "file with the user's password", example: '/run/secrets/keystone-admin' },
});

export const APP_CREDENTIAL_SECRET = secretOption({
  flag: 'os-app-credential-secret',
  env: 'OS_APPLICATION_CREDENTIAL_SECRET',
  help: "application credential's secret",
  example: 'SECRET',
  file: { help: "file with the application credential's secret", example: '/run/secrets/bootstrap' },
});

export const OS_TOKEN = secretOption({
  flag: 'os-token',
  env: 'OS_TOKEN',
  help: 'token instead of a password',
  example: 'TOKEN',
  file: { help: 'file with the token', example: '/run/secrets/token' },
});

/** Credentials for Keystone, with the names of OpenStack's own clients. */
export const ACCESS_OPTIONS = [
  {
    flag: 'os-cloud',
    type: 'string',
    env: 'OS_CLOUD',
    help: 'cloud in clouds.yaml; other options take precedence',
    example: 'kolla-admin',
  },
  {
    flag: 'os-client-config-file',
    type: 'path',
    env: 'OS_CLIENT_CONFIG_FILE',
    help: 'path to clouds.yaml (default: in ., ~/.config/openstack or /etc/openstack)',
    example: '/etc/openstack/clouds.yaml',
  },
  {
    flag: 'os-auth-url',
    type: 'string',
    env: 'OS_AUTH_URL',
    help: "Keystone's URL",
    details: "Takes precedence over the URL in Keystone's catalogue.",
    example: 'http://keystone:5000/v3',
  },
  {
    flag: 'os-url',
    type: 'string',
    env: 'OS_URL',
    help: "Keystone's URL for everything but tokens",
    example: 'http://keystone-admin:5000/v3',
  },
  {
    flag: 'os-username',
    type: 'string',
    env: 'OS_USERNAME',
    help: 'Keystone user with the admin role',
    example: 'admin',
  },
  { flag: 'os-user-id', type: 'string', env: 'OS_USER_ID', help: "user's ID", example: '4a1f' },
  {
    flag: 'os-user-domain-name',
    type: 'string',
    env: 'OS_USER_DOMAIN_NAME',
    help: "user's domain (default: Default)",
    example: 'Default',
  },
  {
    flag: 'os-user-domain-id',
    type: 'string',
    env: 'OS_USER_DOMAIN_ID',
    help: "user's domain ID",
    example: 'default',
  },
  ...OS_PASSWORD,
  {
    flag: 'os-project-name',
    type: 'string',
    env: 'OS_PROJECT_NAME',
    help: 'project to scope the token to',
    example: 'admin',
  },
  { flag: 'os-project-id', type: 'string', env: 'OS_PROJECT_ID', help: "project's ID", example: '4a1f' },
  {
    flag: 'os-project-domain-name',
    type: 'string',
    env: 'OS_PROJECT_DOMAIN_NAME',
    help: "project's domain (default: Default)",
    example: 'Default',
  },
  {
    flag: 'os-project-domain-id',
    type: 'string',
    env: 'OS_PROJECT_DOMAIN_ID',
    help: "project's domain ID",
    example: 'default',
  },
  {
    flag: 'os-system-scope',
    type: 'choice',
    values: ['all'],
    env: 'OS_SYSTEM_SCOPE',
    help: 'system scope instead of a project',
    example: 'all',
  },
  {
    flag: 'os-application-credential-id',
    type: 'string',
    env: 'OS_APPLICATION_CREDENTIAL_ID',
    help: "application credential's ID, instead of a password",
    example: '4a1f',
  },
  {
    flag: 'os-application-credential-name',
    type: 'string',
    env: 'OS_APPLICATION_CREDENTIAL_NAME',
    help: "application credential's name, together with the user",
    example: 'bootstrap',
  },
  ...APP_CREDENTIAL_SECRET,
  ...OS_TOKEN,
  {
    flag: 'os-cacert',
    type: 'path',
    env: 'OS_CACERT',
    help: "CA bundle for Keystone (default: the image's CA bundle)",
    example: '/etc/ssl/certs/kolla.pem',
  },
] as const satisfies readonly Option[];

export type AccessOptions = Values<typeof ACCESS_OPTIONS>;
