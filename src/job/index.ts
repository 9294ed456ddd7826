/**
 * kolla-bootstrap: everything that a service needs before its first start, in one Job, and again at each upgrade.
 *
 *   service -> options, files, accounts and programs of every part read (a typo must not cost half a migration)
 *     -> what it waits for (depend)
 *     -> part by part, in this order:
 *        database   databases, accounts, grants                       dbsync/ensure
 *        queue      virtual host, account, permissions in RabbitMQ    bootstrap
 *        keys       Secrets with keys that replicas share             bootstrap/keys
 *        schema     the migration, by its own flow and lock           dbsync
 *        tool       the service's own commands                        dbsync/tool
 *        users      domains, projects, accounts, roles in Keystone    bootstrap
 *        endpoints  services and endpoints in Keystone                bootstrap
 *
 * Each is read first; nothing is written where nothing differs. What stands before the schema, and what comes after it, is each
 * done under the lock of the service's database, taken only when something differs; losing it aborts the work. A run that
 * was cut off anywhere is taken up by the next one: what counts is what is read. What can fail: options and files (64, 65), a
 * duplicate or a refusal (69, 77), servers, waits and locks without end (75), the service's own tool, whose exit code is ours.
 */
export {};
