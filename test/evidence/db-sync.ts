import { tests, type Capability } from './point.ts';

const on = (file: string, names?: string) => tests(`test/integration/kolla-db-sync-${file}.test.ts`, names);
const onNode = (names: string) => tests('test/e2e/keystone.test.ts', names);
const NO_FAILURE = /ℹ fail 0/;

export const dbSync: Capability = {
  name: 'db-sync',
  title: 'Migrating once',
  points: [
    {
      point:
        'waits for a usable node of Galera: Synced, or a donor by policy; without quorum, frozen or full is waited out',
      command: on('nodes'),
      match: NO_FAILURE,
    },
    {
      point: 'the URL is read from the applied configuration, and services are data: 27 of them, and own ones',
      command: "node_modules/.bin/node --test 'test/dbsync/target/*.test.ts' 'test/services/*.test.ts'",
      match: NO_FAILURE,
    },
    {
      point: 'ensure is idempotent and quiet: a second run writes nothing, by the server’s own counts and binary log',
      command: on('ensure', 'second run writes'),
      match: /✔ a second run writes nothing/,
    },
    {
      point: 'hosts list, REQUIRE, `_` and `%` in grants, --rotate, each on a real server',
      command: on('ensure'),
      match: NO_FAILURE,
    },
    {
      point: 'a login as the service on each node; the one that refuses is named',
      command: on('nodes', 'names the node'),
      match: /✔ ensure names the node that refuses/,
    },
    {
      point: 'passwords with any byte',
      command: on('passwords'),
      match: /✔ a password may hold NUL/,
    },
    {
      point: 'TLS: CA, client certificate, name; what is wrong is said at once',
      command: on('tls'),
      match: /✔ a certificate for another name is not trusted/,
    },
    {
      point: 'no secret in argv, log, error, record or the tool’s `ps`',
      command: on('secrets'),
      match: /✔ whatever goes well or wrong/,
    },
    {
      point: 'the fast path takes no lock: recorded as done, and the tool’s own check agrees',
      command: on('keystone', 'nothing to do|check'),
      match: NO_FAILURE,
    },
    {
      point: 'a Lease and the row: held, watched by those who wait, given back, published',
      command: on('lease'),
      match: /✔ others watch it, ask the database for nothing meanwhile/,
    },
    {
      point: 'the API server gone for the holder: its command ends in time, the others go on when it is back',
      command: on('lease', 'gone for the holder'),
      match: /✔ an API server that is gone for the holder/,
    },
    {
      point: 'the token grows for ever, also when the Lease was deleted',
      command: on('lease', 'token goes on growing'),
      match: /✔ the token goes on growing/,
    },
    {
      point: '12 contenders on 3 nodes without the lock overlap: the judge can fail',
      command: on('takeovers', 'without the lock'),
      match: /without the lock: [1-9]\d* rows of somebody whose turn was over/,
    },
    {
      point: 'takeovers by 12 contenders on 3 nodes, at least 5 per fault: 0 overlaps (1,000: soak-takeovers.md)',
      command: on('takeovers'),
      match: /40 takeovers/,
    },
    {
      point:
        'the helper is frozen while its command runs on: its account is locked, its sessions end on every node, live replicas stay connected',
      command: on('fencing', 'account of a frozen'),
      match: /✔ the account of a frozen helper is locked/,
    },
    {
      point: 'without an admin the guard ends it; thawed, it writes nothing',
      command: on('fencing', 'without an admin'),
      match: /✔ without an admin the guard ends the command/,
    },
    {
      point: 'by the client address where accounts can’t be made, and nothing else is killed',
      command: on('address'),
      match: /✔ kills what comes from where the frozen migration came/,
    },
    {
      point: 'not conclusive: 69 with the list, an operator judges',
      command: on('fencing', 'may be the service'),
      match: /✔ sessions that may be the service/,
    },
    {
      point:
        'the migration’s own account: known to nobody else, dropped at the end and after SIGKILL, kept where a trigger needs it',
      command: on('account'),
      match: /✔ stays, locked, while a trigger of it is needed/,
    },
    {
      point: 'SIGTERM in mid-DDL: it may finish; else it is killed in the server too and recorded as interrupted',
      command: on('account', 'SIGTERM|else it'),
      match: /✔ else it is killed in the server too/,
    },
    {
      point: 'Keystone’s own tool: fresh, re-run, expand, migrate, contract',
      command: on('keystone'),
      match: /✔ its upgrade goes phase by phase/,
    },
    {
      point:
        'Keystone’s own tool under faults: wrong password, down then up, killed in mid-migration, read-only, disk full, TLS wrong',
      command: on('keystone-faults'),
      match: NO_FAILURE,
    },
    {
      point: 'a half-applied schema is named with what is there, what is missing and what to do',
      command: on('keystone-faults', 'killed in the middle'),
      match: /✔ a server that is killed in the middle of the migration: the next run names what is half applied/,
    },
    {
      point: 'phases, again-codes and records; `status` prints them',
      command: on('phases'),
      match: NO_FAILURE,
    },
    {
      point: 'contract and online wait until no replica of the old release is left, its ending Pods included',
      command: on('rollout'),
      match: /✔ a Deployment is waited for before its rollout, during it, and until the old Pod is gone/,
    },
    {
      point: 'a stepwise Keystone upgrade on the real node, as docs/upgrades.md walks it',
      command: onNode('the Job migrates|upgrades.md'),
      match: /✔ docs\/upgrades.md: the contract waits for the last old Pod/,
    },
    {
      point:
        'a native sidecar holds the service back on the real node; a startup probe that would run out is refused; so is a wait for one’s own sidecar',
      command: onNode('sidecar'),
      match: /✔ a native sidecar holds Keystone back/,
    },
    {
      point: '/readyz does not depend on contract or online; progress on long work; the documentation’s docker run',
      command: on('sidecar'),
      match: /✔ a step that takes long says how far it has come/,
    },
    {
      point: 'a wait db-sync/NAME goes by the release whose code may start',
      command: on('lease', 'goes by the release'),
      match: /✔ a wait for the migration goes by the release/,
    },
    {
      point: 'the catalogue prints every service’s steps',
      command: 'node_modules/.bin/node build/from-source.ts kolla-pod catalogue nova',
      match: /online_data_migrations/,
    },
  ],
};
