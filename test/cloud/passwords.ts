import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

const DATABASE_ACCOUNTS = ['keystone', 'placement', 'glance', 'nova', 'neutron', 'cinder', 'heat'];
const IDENTITY_ACCOUNTS = ['placement', 'glance', 'nova', 'neutron', 'cinder', 'heat'];
/** Names of Kolla's passwords.yml that the charts use. */
const NAMES = [
  'database_password',
  'mariadb_monitor_password',
  'rabbitmq_password',
  'rabbitmq_cluster_cookie',
  'keystone_admin_password',
  'heat_domain_admin_password',
  'horizon_secret_key',
  'metadata_secret',
  'nova_api_database_password',
  ...DATABASE_ACCOUNTS.map((name) => `${name}_database_password`),
  ...IDENTITY_ACCOUNTS.map((name) => `${name}_keystone_password`),
];

export interface Passwords {
  /** The path of passwords.yml. */
  readonly file: string;
  /** The passwords by name. */
  readonly values: ReadonlyMap<string, string>;
}

/** Writes a passwords.yml with random passwords for all charts. */
export async function writePasswords(file: string): Promise<Passwords> {
  const values = new Map<string, string>(NAMES.map((name) => [name, randomBytes(12).toString('hex')]));
  const lines = [...values].map(([name, value]) => `    ${name}: "${value}"\n`);
  await writeFile(file, `global:\n  passwords:\n${lines.join('')}`, { mode: 0o600 });
  return { file, values };
}
