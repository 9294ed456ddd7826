import { runHelper } from '../support/helper.ts';
import type { Finished } from '../../tools/process.ts';
import type { Site } from './kolla-db-sync-support.ts';

/** Runs `kolla-db-sync ensure keystone` for the account of the site. */
export function ensure(site: Site, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return runHelper('kolla-db-sync', ['ensure', 'keystone', '--admin-user', 'root', ...args], {
    env: { ...site.env, ...env },
  });
}

/** The URL of the site with another password. */
export function withPassword(site: Site, password: string): { KOLLA_DB_SYNC_CONNECTION: string } {
  const { KOLLA_DB_SYNC_CONNECTION: url = '' } = site.env;
  return { KOLLA_DB_SYNC_CONNECTION: url.replace(site.password, encoded(password)) };
}

function encoded(password: string): string {
  return encodeURIComponent(password).replaceAll("'", '%27');
}
