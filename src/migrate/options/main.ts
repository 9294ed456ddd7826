import type { Command } from '../../cli/command.ts';
import { SYNC_OPTIONS } from './options.ts';

export const SYNC_COMMANDS = ['ensure', 'rbac', 'status', 'upgrade-check'] as const;

/** What defines kolla-db-sync and its section of kolla-pod.yaml, without the code of its commands. */
export const DB_SYNC = {
  name: 'kolla-db-sync',
  summary: "Migrates a service's database, one migrator at a time.",
  commands: {},
  elsewhere: SYNC_COMMANDS,
} as const;

/** kolla-db-sync without a command. */
export const SYNC = {
  summary: "Migrates a service's database schema, one migrator at a time.",
  description:
    'Waits for the server; creates database, account and grants when --admin-user is given; takes the ' +
    "lock; runs the service's migration, a phase of it, or the command after --; records the result. A " +
    'second migrator waits, and exits without changes when another has finished the same migration, or ' +
    "when it is recorded as done and the service's tool confirms it. Exits with the command's code.",
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  child: 'COMMAND',
  options: SYNC_OPTIONS,
  examples: [
    { line: 'kolla-db-sync keystone', does: 'with the URL from /etc/keystone/keystone.conf' },
    {
      line: 'kolla-db-sync keystone --admin-user root --admin-password-file /run/secrets/mariadb-root --release 2026.1',
      does: 'also create database and account',
    },
    {
      line: 'kolla-db-sync keystone --host mariadb-0 --host mariadb-1 --host mariadb-2',
      does: 'on Galera, through the first usable node',
    },
    { line: 'kolla-db-sync keystone --phase expand --release 2026.1', does: 'only the phase before a rollout' },
    {
      line: 'kolla-db-sync keystone --phase contract --release 2026.1 --after-rollout deployment/keystone',
      does: 'the phase after the rollout, once the last old Pod is gone',
    },
    {
      line: 'kolla-db-sync keystone -- keystone-manage db_sync --expand',
      does: 'run another command, holding the lock',
    },
    {
      line: 'kolla-db-sync keystone --stay',
      does: 'as a native sidecar, whose startup probe on /startupz delays the service',
    },
  ],
} satisfies Omit<Command<typeof SYNC_OPTIONS>, 'run'>;
