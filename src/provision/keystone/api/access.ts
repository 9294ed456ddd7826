import { join } from 'node:path';
import { ConfigError, UsageError } from '../../../core/errors.ts';
import { trustOfUrls, type TlsValues, type Trust } from '../../../cli/tls-option.ts';
import { readSecret } from '../../../cli/secret-option.ts';
import { readCloud, type Cloud } from './clouds.ts';
import { APP_CREDENTIAL_SECRET, OS_PASSWORD, OS_TOKEN, type AccessOptions } from '../../options/access.ts';

/** Keystone's address, and the credentials for it. */
export interface Access {
  /** URL for token requests; ends with /v3. */
  readonly authUrl: URL;
  /** Keystone's URL for all other requests. */
  readonly apiUrl: URL;
  readonly trust: Trust;
  /** A token, or the body of a token request. */
  readonly proof: { readonly token: string } | { readonly auth: object };
  /** The account's name in messages: `user admin`. */
  readonly who: string;
  /** The region that clouds.yaml sets for the cloud. */
  readonly region: string | undefined;
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

const CLOUD_DIRECTORIES = ['/etc/openstack'];
const API_VERSION = /\/v3\/?$/;

/**
 * Access with a token, an application credential or a password, from options and environment variables. Missing values
 * are taken from the cloud named by OS_CLOUD.
 * @param home for ~/.config/openstack
 * @throws UsageError, ConfigError: what is missing, and where it belongs
 */
export async function findAccess(options: AccessOptions & TlsValues, home: string | undefined): Promise<Access> {
  const cloud = options.osCloud === undefined ? undefined : await readCloud(options.osCloud, cloudFiles(options, home));
  const given = giver(options, cloud);
  const [authText, apiText] = [given('osAuthUrl', 'auth_url'), given('osUrl', 'identity_endpoint_override')];
  if (authText === undefined && apiText === undefined) {
    throw new UsageError(
      "Keystone's URL is unknown: set OS_AUTH_URL, or OS_CLOUD to a cloud of clouds.yaml; or skip it " +
        'with --skip users --skip endpoints',
    );
  }
  const authUrl = keystoneUrl(authText ?? apiText ?? '', authText === undefined ? 'OS_URL' : 'OS_AUTH_URL');
  const apiUrl = apiText === undefined ? authUrl : keystoneUrl(apiText, 'OS_URL');
  // OS_CACERT in a shared environment is ignored with --tls require.
  const isVerified = options.tls === undefined || options.tls === 'verify';
  const caFile = (isVerified ? given('osCacert', 'cacert') : undefined) ?? options.caFile;
  const trust = trustOfUrls({ tls: options.tls, caFile }, [
    { url: authUrl, called: `OS_AUTH_URL ${authUrl.origin}` },
    { url: apiUrl, called: `OS_URL ${apiUrl.origin}` },
  ]);
  const [ownToken, ownAppSecret, ownPassword] = await Promise.all([
    readSecret(OS_TOKEN, options),
    readSecret(APP_CREDENTIAL_SECRET, options),
    readSecret(OS_PASSWORD, options),
  ]);
  const token = ownToken ?? cloud?.values['token'];
  const appSecret = ownAppSecret ?? cloud?.values['application_credential_secret'];
  const password = ownPassword ?? cloud?.values['password'];
  return {
    authUrl,
    apiUrl,
    trust,
    ...proofOf(given, { token, appSecret, password }),
    region: cloud?.values['region_name'],
    secrets: [token, appSecret, password].filter((secret) => secret !== undefined),
  };
}

type Given = (option: keyof AccessOptions, key: string) => string | undefined;

function giver(options: AccessOptions, cloud: Cloud | undefined): Given {
  return (option, key) => options[option] ?? cloud?.values[key];
}

interface Secrets {
  readonly token: string | undefined;
  readonly appSecret: string | undefined;
  readonly password: string | undefined;
}

function proofOf(given: Given, { token, appSecret, password }: Secrets): Pick<Access, 'proof' | 'who'> {
  if (token !== undefined && !/^[\x21-\x7E]+$/.test(token))
    throw new ConfigError('the given token contains an invalid character: a trailing line break?');
  if (token !== undefined) return { proof: { token }, who: 'the given token' };
  const [appId, appName] = [
    given('osApplicationCredentialId', 'application_credential_id'),
    given('osApplicationCredentialName', 'application_credential_name'),
  ];
  const user = userOf(given);
  if (appSecret !== undefined || appId !== undefined || appName !== undefined) {
    if (appSecret === undefined) throw missing('OS_APPLICATION_CREDENTIAL_SECRET');
    if (appId === undefined && appName === undefined) throw missing('OS_APPLICATION_CREDENTIAL_ID');
    if (appId === undefined && user === undefined) throw missing('OS_USERNAME, whose application credential it is,');
    const credential =
      appId === undefined ? { name: appName, user, secret: appSecret } : { id: appId, secret: appSecret };
    const identity = { methods: ['application_credential'], application_credential: credential };
    return { proof: { auth: { identity } }, who: `application credential ${appName ?? appId}` };
  }
  if (user === undefined) throw missing('OS_USERNAME');
  if (password === undefined) throw missing('OS_PASSWORD');
  const identity = { methods: ['password'], password: { user: { ...user, password } } };
  return { proof: { auth: { identity, scope: scopeOf(given) } }, who: `user ${user.name ?? user.id}` };
}

function userOf(given: Given): { id?: string; name?: string; domain?: object } | undefined {
  const [id, name] = [given('osUserId', 'user_id'), given('osUsername', 'username')];
  if (id !== undefined) return { id };
  return name === undefined ? undefined : { name, domain: domainOf(given, 'User', 'user') };
}

function scopeOf(given: Given): object {
  if (given('osSystemScope', 'system_scope') !== undefined) return { system: { all: true } };
  const [id, name] = [given('osProjectId', 'project_id'), given('osProjectName', 'project_name')];
  if (id !== undefined) return { project: { id } };
  if (name === undefined) throw missing('OS_PROJECT_NAME (or OS_SYSTEM_SCOPE=all)');
  return { project: { name, domain: domainOf(given, 'Project', 'project') } };
}

function domainOf(given: Given, what: 'User' | 'Project', key: 'user' | 'project'): object {
  const id = given(`os${what}DomainId`, `${key}_domain_id`);
  return id === undefined ? { name: given(`os${what}DomainName`, `${key}_domain_name`) ?? 'Default' } : { id };
}

function missing(variable: string): UsageError {
  return new UsageError(
    `no credentials for Keystone: ${variable} is not set, and no cloud of clouds.yaml is named by ` +
      'OS_CLOUD that has it',
  );
}

function cloudFiles({ osClientConfigFile }: AccessOptions, home: string | undefined): string[] {
  if (osClientConfigFile !== undefined) return [osClientConfigFile];
  const homes = home === undefined ? [] : [join(home, '.config/openstack')];
  return ['.', ...homes, ...CLOUD_DIRECTORIES].map((directory) => join(directory, 'clouds.yaml'));
}

/** Appends the API version, which OpenStack's clients discover themselves. */
function keystoneUrl(text: string, variable: string): URL {
  // Checked first, because the other messages show the text.
  if (text.includes('@')) throw new ConfigError(`${variable} contains a user: set OS_USERNAME and OS_PASSWORD instead`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${variable} '${text}' is not an http or https URL`);
  if (/\/v2\.0\/?$/.test(url.pathname))
    throw new ConfigError(`${variable} '${text}' is for Keystone's API v2.0, which was removed: it must end with /v3`);
  if (!API_VERSION.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/v3`;
  return url;
}
