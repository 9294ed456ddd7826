import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from './authority.ts';
import type { Login, Settings } from './search-server.ts';
import { ADMIN, PASSWORD_HASH, writeCertificate } from './search-settings.ts';

export const SECURITY_PLUGIN = 'org.opensearch.security.OpenSearchSecurityPlugin';

/** Adds TLS for both protocols, and users from files on first start. */
export const SECURITY_SETTINGS: Settings = {
  'plugins.security.ssl.http.enabled': true,
  'plugins.security.ssl.http.pemcert_filepath': 'node.crt',
  'plugins.security.ssl.http.pemkey_filepath': 'node.key',
  'plugins.security.ssl.http.pemtrustedcas_filepath': 'ca.crt',
  'plugins.security.ssl.transport.pemcert_filepath': 'node.crt',
  'plugins.security.ssl.transport.pemkey_filepath': 'node.key',
  'plugins.security.ssl.transport.pemtrustedcas_filepath': 'ca.crt',
  'plugins.security.ssl.transport.enforce_hostname_verification': false,
  'plugins.security.nodes_dn': 'CN=localhost',
  'plugins.security.allow_default_init_securityindex': true,
};

/** The plugin's example configuration, with our one user. */
export async function writeSecurity(
  directory: string,
  example: string,
  { login, certificate }: { login: Login; certificate: Credentials },
): Promise<void> {
  const config = join(directory, 'config');
  await writeCertificate(config, certificate);
  await writeFile(join(config, 'ca.crt'), login.ca);
  await cp(join(example, 'config'), join(config, 'opensearch-security'), { recursive: true });
  const users = {
    _meta: { type: 'internalusers', config_version: 2 },
    [ADMIN]: { hash: PASSWORD_HASH, reserved: true, backend_roles: ['admin'] },
  };
  // The file is JSON, which is also YAML.
  await writeFile(join(config, 'opensearch-security/internal_users.yml'), JSON.stringify(users));
}
