/** Services with an account in MariaDB, in Keystone, and in RabbitMQ. */
const IN_DATABASE = ['keystone', 'placement', 'glance', 'nova', 'nova_api', 'neutron', 'cinder', 'heat'];
const IN_KEYSTONE = ['placement', 'glance', 'nova', 'neutron', 'cinder', 'heat'];
const IN_RABBITMQ = ['nova', 'neutron', 'cinder', 'heat'];

/**
 * Every password that the charts need, by its name in Kolla's passwords.yml; Kolla has one account in RabbitMQ for all services. A
 * test compares it with the charts.
 */
export const PASSWORD_NAMES: readonly string[] = [
  'database_password',
  'mariadb_monitor_password',
  'rabbitmq_password',
  'rabbitmq_cluster_cookie',
  'keystone_admin_password',
  ...IN_DATABASE.map((name) => `${name}_database_password`),
  ...IN_KEYSTONE.map((name) => `${name}_keystone_password`),
  ...IN_RABBITMQ.map((name) => `${name}_rabbitmq_password`),
  'heat_domain_admin_password',
  'horizon_secret_key',
  'memcache_secret_key',
  'metadata_secret',
];
