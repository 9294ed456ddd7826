import { chartedServices, type Service } from '../../catalog/index.ts';

/**
 * Every password that the charts need, by its name in Kolla's passwords.yml; Kolla has one account in RabbitMQ for all services. A
 * test compares it with the charts.
 */
export const PASSWORD_NAMES: readonly string[] = [
  ...new Set([
    'database_password',
    'mariadb_monitor_password',
    'rabbitmq_password',
    'rabbitmq_cluster_cookie',
    'keystone_admin_password',
    ...chartedServices.flatMap(inDatabase),
    ...chartedServices.flatMap(inKeystone),
    ...chartedServices.flatMap(inRabbitmq),
    'horizon_secret_key',
    'memcache_secret_key',
    'metadata_secret',
  ]),
];

function inDatabase({ databases }: Service): string[] {
  // cell0 is reached with the account of a cell.
  const accounts = databases.filter(({ url }) => url.length > 0).map(({ name }) => name.replace(/_cell0$/, ''));
  return accounts.map((name) => `${name}_database_password`);
}

/** The admin of a domain is not named after a service. */
function inKeystone({ identity }: Service): string[] {
  const users = identity?.users ?? [];
  return users.map(({ name, domain }) => (domain === undefined ? `${name}_keystone_password` : `${name}_password`));
}

function inRabbitmq({ queue }: Service): string[] {
  return queue === undefined || queue.optional ? [] : [`${queue.user}_rabbitmq_password`];
}
